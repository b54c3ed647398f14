/** Ids and secrets that nobody can guess. */
import { randomBytes } from 'node:crypto'

/** The prefix shows the kind of the id and avoids a leading `-`. */
export function newId(prefix: 'ses' | 'cmd' | 'agt' | 'lgn' | 'img' | 'whk' | 'lnk'): string {
  return `${prefix}_${randomBytes(12).toString('base64url')}`
}

/** This many random bytes, as base64url. */
export function newSecret(bytes: number): string {
  return randomBytes(bytes).toString('base64url')
}
