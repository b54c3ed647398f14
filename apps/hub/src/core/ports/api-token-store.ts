/** The store of API tokens, which programs send instead of a login. */
import type { ApiTokenScope } from '@roundhouse/backend-types'
import type { PersonRow } from './people-store'

export interface ApiTokenRow {
  tokenId: string
  secretHash: string
  userId: string
  name: string
  scopes: readonly ApiTokenScope[]
  createdAt: number
  expiresAt: number
  lastUsedAt: number | null
}

/** A token and the person behind it, from one read. */
export type ApiTokenOwner = ApiTokenRow &
  Pick<PersonRow, 'role' | 'email' | 'banned' | 'shared'> & { personName: string }

export interface ApiTokenStore {
  find(tokenId: string): Promise<ApiTokenOwner | undefined>
  /** Without those by which chats act. */
  ofPerson(userId: string): Promise<ApiTokenRow[]>
}

/** In a person's transaction. */
export interface ApiTokenWrites {
  insert(row: ApiTokenRow): Promise<void>
  delete(userId: string, tokenId: string): Promise<boolean>
  /** Returns how many there were. */
  deleteAll(userId: string): Promise<number>
  touch(tokenId: string, at: number): Promise<void>
  setScopes(tokenId: string, scopes: readonly ApiTokenScope[]): Promise<void>
}
