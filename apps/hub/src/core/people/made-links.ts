import type { WriteTx } from '../ports/ports'

/** Invitations, links for a new password and enrollment tokens outlive the rights of nobody who made them. */
export async function takeLinksBack(tx: WriteTx, userId: string, at: number): Promise<void> {
  await tx.revokeInvitationsOf(userId, at)
  await tx.revokeTokensOf(userId, at)
}
