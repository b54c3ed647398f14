/** Ids and secrets that nobody can guess. */
import { randomBytes } from 'node:crypto'

/** The prefix says what it is and keeps a leading `-` away. */
export function newId(prefix: 'ses' | 'cmd' | 'agt' | 'lgn' | 'img'): string {
  return `${prefix}_${randomBytes(12).toString('base64url')}`
}

/** So many random bytes, base64url. */
export function newSecret(bytes: number): string {
  return randomBytes(bytes).toString('base64url')
}
