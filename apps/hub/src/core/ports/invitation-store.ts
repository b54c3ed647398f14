/** What the core needs of a store to keep invitations and the links for a new password. */
import type { Role } from '@roundhouse/backend-types'

export interface InvitationRow {
  invitationId: string
  secretHash: string
  email: string
  role: Role
  /** Ids of the machines that are shared with whoever accepts. */
  agents: readonly string[]
  /** Whose password it sets anew; null: it makes somebody new. */
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

/** In a transaction of whoever invites, or of whoever holds the code. */
export interface InvitationWrites {
  insert(row: InvitationRow): Promise<void>
  find(invitationId: string): Promise<InvitationRow | null>
  /** One conditional update: false when it was used, revoked or burnt meanwhile. */
  spend(invitationId: string, at: number): Promise<boolean>
  /** What it was spent for could not be done. */
  reopen(invitationId: string): Promise<void>
  countWrong(invitationId: string): Promise<void>
  revoke(invitationId: string, at: number): Promise<void>
  /** Open ones for the same: a new password of this person, or somebody new with this address. */
  openFor(who: { email: string; userId: string | null }): Promise<Array<{ invitationId: string; role: Role }>>
  /** Those that this person made, and those for a new password of this person; also one that is being taken at this moment. */
  revokeOf(userId: string, at: number): Promise<void>
}
