/** Counts attempts per person, account or client's network in a sliding window, in memory and bounded. One process, one thread: the count is exact. */
import { CodedError } from '@roundhouse/backend-types'
import { clientNetwork } from '../core'

const MAX_KEYS = 10_000

export class AttemptLimit {
  readonly #limit: number
  readonly #windowMs: number
  readonly #now: () => number
  readonly #attempts = new Map<string, number[]>()

  constructor(limit: number, windowMs: number, now: () => number = Date.now) {
    this.#limit = limit
    this.#windowMs = windowMs
    this.#now = now
  }

  /** Counts this attempt. Throws `RATE_LIMITED` when it is one too many. */
  require(of: string): void {
    const key = clientNetwork(of)
    const now = this.#now()
    const recent = (this.#attempts.get(key) ?? []).filter((at) => at > now - this.#windowMs)
    if (recent.length >= this.#limit) {
      const retryAfterSeconds = Math.ceil(((recent[0] ?? now) + this.#windowMs - now) / 1000)
      throw new CodedError('RATE_LIMITED', undefined, { retryAfterSeconds })
    }
    if (this.#attempts.size >= MAX_KEYS && !this.#attempts.has(key)) this.#forgetOld(now)
    this.#attempts.set(key, [...recent, now])
  }

  /** Counts this attempt unless it is one too many. */
  takes(key: string): boolean {
    try {
      this.require(key)
      return true
    } catch {
      return false
    }
  }

  /** The attempt that was counted last turned out to be none. */
  giveBack(of: string): void {
    const key = clientNetwork(of)
    const rest = this.#attempts.get(key)?.slice(0, -1) ?? []
    if (rest.length > 0) this.#attempts.set(key, rest)
    else this.#attempts.delete(key)
  }

  #forgetOld(now: number): void {
    for (const [key, times] of this.#attempts) {
      if ((times.at(-1) ?? 0) <= now - this.#windowMs) this.#attempts.delete(key)
    }
    if (this.#attempts.size >= MAX_KEYS) throw new CodedError('RATE_LIMITED')
  }
}
