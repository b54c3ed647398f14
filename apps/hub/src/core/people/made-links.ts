import type { WriteTx } from '../ports/stores'

/** Revokes the invitations, password links and enrollment tokens that a person created, when the person loses the right to. */
export async function takeLinksBack(tx: WriteTx, userId: string, at: number): Promise<void> {
  await tx.invitations.revokeOf(userId, at)
  await tx.enrollmentTokens.revokeOf(userId, at)
}
