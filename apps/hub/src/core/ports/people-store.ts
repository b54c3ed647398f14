/** The store of people. Times are milliseconds. */
import type { Role } from '@roundhouse/backend-types'
import type { Standing, StandingOf } from '../access/standing'

export interface PersonRow {
  userId: string
  name: string
  email: string
  role: Role
  banned: boolean
  createdAt: number
  lastLoginAt: number | null
  /** Ids of the machines that are shared with the person. */
  shared: readonly string[]
}

export interface PeopleStore {
  /** The rights of a credential or a person at this moment. */
  standing(of: StandingOf): Promise<Standing | undefined>
  all(): Promise<PersonRow[]>
  find(userId: string): Promise<PersonRow | undefined>
  findByEmail(email: string): Promise<PersonRow | undefined>
  /** When the person linked the identity provider. */
  linkedAt(userId: string): Promise<number | null>
}

/** In a person's transaction. */
export interface PeopleWrites {
  standing(of: StandingOf): Promise<Standing | null>
  find(userId: string): Promise<{ userId: string; name: string; role: Role } | null>
  /** Names of all people except this one. */
  namesOfOthers(userId: string): Promise<string[]>
  hasEmail(email: string): Promise<boolean>
  /** Owners who may sign in. */
  countOwners(): Promise<number>
  update(userId: string, change: { name?: string; role?: Role; banned?: boolean }): Promise<void>
  /** Deletes the person with their logins, shares, tokens and webhooks. */
  delete(userId: string): Promise<void>
  /** `Accounts` has hashed it. */
  setPassword(userId: string, passwordHash: string): Promise<void>
  /** False if the password is no longer `before`. */
  replacePassword(userId: string, before: string, after: string): Promise<boolean>
  /** False if it was not linked. */
  unlinkIdentity(userId: string): Promise<boolean>
  setShares(userId: string, agentIds: readonly string[], by: string, at: number): Promise<void>
}
