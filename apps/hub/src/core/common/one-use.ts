/**
 * What enrollment tokens and invitations share: they allow one use, expire, and allow a limited number of wrong
 * secrets. A caller cannot tell the failures apart; the audit log can.
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
/** Compared if there is no such row, so that both cases take the same time. */
const noHash = sha256('no secret')

export function oneUseState(row: OneUseRow, now: number): OneUseState {
  if (row.usedAt !== null) return 'used'
  if (row.revokedAt !== null) return 'revoked'
  if (row.wrongAttempts >= ATTEMPTS) return 'burnt'
  return row.expiresAt <= now ? 'expired' : 'open'
}

/** Why the secret fails, for the audit log only; null if it is right. A burnt one refuses even the right secret. */
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
