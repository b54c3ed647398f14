/**
 * What enrollment tokens and invitations have in common: good for one use, for a time, and for so many wrong secrets. To
 * whoever shows one every failure looks the same; the audit log tells them apart.
 */
import type { OneUseState } from '@roundhouse/backend-types'
import { sameDigest, sha256 } from './digests'

export interface OneUseRow {
  secretHash: string
  usedAt: number | null
  revokedAt: number | null
  wrongAttempts: number
  expiresAt: number
}

const ATTEMPTS = 10
/** Compared with when there is no such row, so that both ways take the same time. */
const noHash = sha256('no secret')

export function oneUseState(row: OneUseRow, now: number): OneUseState {
  if (row.usedAt !== null) return 'used'
  if (row.revokedAt !== null) return 'revoked'
  if (row.wrongAttempts >= ATTEMPTS) return 'burnt'
  return row.expiresAt <= now ? 'expired' : 'open'
}

/** Why not, for the audit log alone; null for the right secret. One that is burnt refuses the right secret too. */
export function judgeSecret(
  row: OneUseRow | null,
  shownHash: string | undefined,
  now: number,
): Exclude<OneUseState, 'open'> | 'unknown' | 'wrong secret' | null {
  const right = sameDigest(row?.secretHash ?? noHash, shownHash ?? '')
  if (!row) return 'unknown'
  const state = oneUseState(row, now)
  if (state !== 'open') return state
  return right ? null : 'wrong secret'
}
