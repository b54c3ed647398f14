/** What the core needs of a store to keep people. Times are milliseconds. */
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
  /** Ids of the machines shared with them. */
  shared: readonly string[]
}

export interface PeopleStore {
  /** What a credential, or a person, is good for at this moment. */
  standing(of: StandingOf): Promise<Standing | undefined>
  all(): Promise<PersonRow[]>
  find(userId: string): Promise<PersonRow | undefined>
  findByEmail(email: string): Promise<PersonRow | undefined>
  /** When the person was linked with the identity provider. */
  linkedAt(userId: string): Promise<number | null>
}

/** In a person's transaction. */
export interface PeopleWrites {
  standing(of: StandingOf): Promise<Standing | null>
  find(userId: string): Promise<{ userId: string; name: string; role: Role } | null>
  /** Of everybody but this person. */
  namesOfOthers(userId: string): Promise<string[]>
  hasEmail(email: string): Promise<boolean>
  /** Owners who may sign in. */
  countOwners(): Promise<number>
  update(userId: string, change: { name?: string; role?: Role; banned?: boolean }): Promise<void>
  /** With logins, shares and tokens. */
  delete(userId: string): Promise<void>
  /** Hashed by `Accounts`. */
  setPassword(userId: string, passwordHash: string): Promise<void>
  /** False where the password is not `before` any more. */
  replacePassword(userId: string, before: string, after: string): Promise<boolean>
  /** False: it was not linked. */
  unlinkIdentity(userId: string): Promise<boolean>
  setShares(userId: string, agentIds: readonly string[], by: string, at: number): Promise<void>
}
