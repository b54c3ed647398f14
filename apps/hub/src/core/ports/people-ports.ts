/** What the core needs of a store and of the password keeper for people. Times are milliseconds, lists are JSON texts. */
import type { Role } from '@roundhouse/backend-types'
import type { Standing, StandingOf } from '../access/standing'
import type { FactorReads } from './factor-ports'
import type { LoginReads } from './login-ports'

export interface PersonRow {
  userId: string
  name: string
  email: string
  role: Role
  banned: boolean
  createdAt: number
  lastLoginAt: number | null
  /** JSON list of agent ids. */
  shared: string
}

export interface InvitationRow {
  invitationId: string
  secretHash: string
  email: string
  role: Role
  /** JSON list of agent ids. */
  agents: string
  /** Whose password it sets anew; null: it makes somebody new. */
  userId: string | null
  createdBy: string
  createdAt: number
  expiresAt: number
  usedAt: number | null
  revokedAt: number | null
  wrongAttempts: number
}

export interface ApiTokenRow {
  tokenId: string
  secretHash: string
  userId: string
  name: string
  /** JSON list of scopes. */
  scopes: string
  createdAt: number
  expiresAt: number
  lastUsedAt: number | null
}

/** A token with the person behind it, read at once. */
export type ApiTokenOwner = ApiTokenRow &
  Pick<PersonRow, 'role' | 'email' | 'banned' | 'shared'> & { personName: string }

export interface OwnLogin {
  loginId: string
  userAgent: string | null
  address: string | null
  createdAt: number
  expiresAt: number
}

export interface PeopleReads extends FactorReads, LoginReads {
  standing(of: StandingOf): Standing | undefined
  people(): PersonRow[]
  person(userId: string): PersonRow | undefined
  personByEmail(email: string): PersonRow | undefined
  invitations(limit: number): InvitationRow[]
  apiTokens(userId: string): ApiTokenRow[]
  apiToken(tokenId: string): ApiTokenOwner | undefined
  loginsOf(userId: string, now: number): OwnLogin[]
  /** When the person was linked with the identity provider. */
  linkedAt(userId: string): number | null
}

/** The part of a write transaction that is about people. */
export interface PeopleTx {
  /** What a credential, or a person, is good for at this moment. */
  findStanding(of: StandingOf): Promise<Standing | null>
  findPerson(userId: string): Promise<{ userId: string; name: string; role: Role } | null>
  /** Of everybody but this person. */
  namesOfOthers(userId: string): Promise<string[]>
  hasEmail(email: string): Promise<boolean>
  /** Owners who may sign in. */
  countOwners(): Promise<number>
  updatePerson(userId: string, change: { name?: string; role?: Role; banned?: boolean }): Promise<void>
  /** With logins, shares and tokens. */
  deletePerson(userId: string): Promise<void>
  /** And none of their browsers is known any more. */
  endLogins(userId: string): Promise<void>
  /** Hashed by `Accounts`. */
  setPassword(userId: string, passwordHash: string): Promise<void>
  /** False: it is not this person's, or gone. Its browser is not known any more, unless `keepKey`. */
  endLogin(userId: string, loginId: string, options?: { keepKey: boolean }): Promise<boolean>
  /** False: it was not linked. */
  unlinkIdentity(userId: string): Promise<boolean>
  setShares(userId: string, agentIds: readonly string[], by: string, at: number): Promise<void>

  insertInvitation(row: InvitationRow): Promise<void>
  findInvitation(invitationId: string): Promise<InvitationRow | null>
  /** One conditional update: false when it was used, revoked or burnt meanwhile. */
  spendInvitation(invitationId: string, at: number): Promise<boolean>
  /** What it was spent for could not be done. */
  reopenInvitation(invitationId: string): Promise<void>
  countWrongInvitation(invitationId: string): Promise<void>
  revokeInvitation(invitationId: string, at: number): Promise<void>
  /** Open ones for the same: a new password of this person, or somebody new with this address. */
  openInvitationsFor(who: {
    email: string
    userId: string | null
  }): Promise<Array<{ invitationId: string; role: Role }>>
  /** Those that this person made, and those for a new password of this person; also one that is being taken at this moment. */
  revokeInvitationsOf(userId: string, at: number): Promise<void>

  insertApiToken(row: ApiTokenRow): Promise<void>
  deleteApiToken(userId: string, tokenId: string): Promise<boolean>
  /** How many there were. */
  deleteApiTokens(userId: string): Promise<number>
  touchApiToken(tokenId: string, at: number): Promise<void>
}

/** Who keeps passwords: the login library. */
export interface Accounts {
  /** Resolves to the new person's id. */
  create(person: { email: string; name: string; password: string; role: Role }): Promise<string>
  /** For `setPassword` of a transaction. */
  hash(password: string): Promise<string>
}
