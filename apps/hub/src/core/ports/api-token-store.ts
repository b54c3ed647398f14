/** What the core needs of a store to keep the tokens with which programs come. */
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

/** A token with the person behind it, read at once. */
export type ApiTokenOwner = ApiTokenRow &
  Pick<PersonRow, 'role' | 'email' | 'banned' | 'shared'> & { personName: string }

export interface ApiTokenStore {
  find(tokenId: string): Promise<ApiTokenOwner | undefined>
  ofPerson(userId: string): Promise<ApiTokenRow[]>
}

/** In a person's transaction. */
export interface ApiTokenWrites {
  insert(row: ApiTokenRow): Promise<void>
  delete(userId: string, tokenId: string): Promise<boolean>
  /** How many there were. */
  deleteAll(userId: string): Promise<number>
  touch(tokenId: string, at: number): Promise<void>
}
