/** The store of invitations and password links. */
import type { Role } from '@roundhouse/backend-types'

export interface InvitationRow {
  invitationId: string
  secretHash: string
  email: string
  role: Role
  /** Ids of the machines that are shared with the new person. */
  agents: readonly string[]
  /** The person whose password it sets; null: it creates an account. */
  userId: string | null
  createdBy: string
  createdAt: number
  expiresAt: number
  usedAt: number | null
  revokedAt: number | null
  wrongAttempts: number
}

export interface InvitationStore {
  newest(limit: number): Promise<InvitationRow[]>
}

/** In the transaction of the inviting person or of the caller with the code. */
export interface InvitationWrites {
  insert(row: InvitationRow): Promise<void>
  find(invitationId: string): Promise<InvitationRow | null>
  /** One conditional update. False if it was used, revoked or burnt meanwhile. */
  spend(invitationId: string, at: number): Promise<boolean>
  /** Makes it valid again, because its use failed. */
  reopen(invitationId: string): Promise<void>
  countWrong(invitationId: string): Promise<void>
  revoke(invitationId: string, at: number): Promise<void>
  /** Open ones for the same purpose: a new password of this person, or an account with this address. */
  openFor(who: { email: string; userId: string | null }): Promise<Array<{ invitationId: string; role: Role }>>
  /**
   * Revokes those that this person created, and those for a new password of this person, including one that is being
   * used at this moment.
   */
  revokeOf(userId: string, at: number): Promise<void>
}
