import type { WriteTx } from '../ports/stores'

/** Invitations, links for a new password and enrollment tokens outlive the rights of nobody who made them. */
export async function takeLinksBack(tx: WriteTx, userId: string, at: number): Promise<void> {
  await tx.invitations.revokeOf(userId, at)
  await tx.enrollmentTokens.revokeOf(userId, at)
}
