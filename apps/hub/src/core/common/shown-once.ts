/**
 * Secrets that are shown once, and that a repeat of the very request (CMD-1) may still show, in memory alone: enrollment
 * tokens (JOIN-1), invitations, tokens of programs, backup codes. On the disk they are hashed or sealed, also where answers
 * are kept. One leaves here when it is used, revoked or too old.
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

  /** Throws `SHOWN_ONCE`, with `details`, where it is not known any more. */
  require(id: string, details?: Record<string, unknown>): string {
    const kept = this.#secrets.get(id)
    if (!kept || kept.expiresAt <= this.#now()) throw new CodedError('SHOWN_ONCE', undefined, details)
    return kept.secret
  }

  forget(id: string): void {
    this.#secrets.delete(id)
  }
}
