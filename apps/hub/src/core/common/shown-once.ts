/**
 * Keeps secrets that are shown once in memory, so that a repeat of the same request (CMD-1) can show them again:
 * enrollment tokens (JOIN-1), invitations, tokens of programs, backup codes. On disk they are hashed or sealed,
 * including in stored answers. A secret is dropped when it is used, revoked or too old.
 */
import { CodedError } from '@roundhouse/backend-types'

export class ShownOnce {
  readonly #now: () => number
  readonly #secrets = new Map<string, { secret: string; expiresAt: number }>()

  constructor(now: () => number) {
    this.#now = now
  }

  keep(id: string, secret: string, expiresAt: number): void {
    for (const [old, kept] of this.#secrets) if (kept.expiresAt <= this.#now()) this.#secrets.delete(old)
    this.#secrets.set(id, { secret, expiresAt })
  }

  /** Throws `SHOWN_ONCE` with `details` if the secret is no longer known. */
  require(id: string, details?: Record<string, unknown>): string {
    const kept = this.#secrets.get(id)
    if (!kept || kept.expiresAt <= this.#now()) throw new CodedError('SHOWN_ONCE', undefined, details)
    return kept.secret
  }

  forget(id: string): void {
    this.#secrets.delete(id)
  }
}
