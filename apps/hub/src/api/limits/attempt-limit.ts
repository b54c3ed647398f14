/**
 * Counts attempts per person, account or client network in a sliding window, in memory and bounded. One process, one thread:
 * the count is exact. When the table is full, new callers share counters with their neighbours. A caller that fills the
 * table therefore neither locks everybody out nor escapes the count.
 */
import { createHash, randomBytes } from 'node:crypto'
import { CodedError } from '@roundhouse/backend-types'
import { clientNetwork, widerNetwork } from '../../core'

const MAX_KEYS = 10_000
/** Strangers who were to block them all would need as many networks. */
const SHARED_COUNTERS = 4_096

/** When attempts were made; the key that was used last comes last. */
type Counters = Map<string | number, number[]>

export class AttemptLimit {
  readonly #limit: number
  readonly #windowMs: number
  readonly #now: () => number
  readonly #own: Counters = new Map()
  readonly #shared: Counters = new Map()
  readonly #salt: Buffer

  /** Nobody outside knows the salt, and so who shares a counter with whom. */
  constructor(limit: number, windowMs: number, now: () => number = () => performance.now(), salt = randomBytes(16)) {
    this.#limit = limit
    this.#windowMs = windowMs
    this.#now = now
    this.#salt = salt
  }

  /** Counts this attempt. Throws `RATE_LIMITED` when it is one too many. */
  require(of: string): void {
    const now = this.#now()
    this.#forgetOld(now)
    const key = clientNetwork(of)
    if (this.#own.has(key) || this.#own.size < MAX_KEYS) this.#count(this.#own, key, now)
    else this.#count(this.#shared, this.#seatOf(of), now)
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
    const [counters, counted] = this.#own.has(key) ? [this.#own, key] : [this.#shared, this.#seatOf(of)]
    const rest = counters.get(counted)?.slice(0, -1) ?? []
    if (rest.length > 0) counters.set(counted, rest)
    else counters.delete(counted)
  }

  #count(counters: Counters, key: string | number, now: number): void {
    const recent = (counters.get(key) ?? []).filter((at) => at > now - this.#windowMs)
    if (recent.length >= this.#limit) {
      const retryAfterSeconds = Math.ceil(((recent[0] ?? now) + this.#windowMs - now) / 1000)
      throw new CodedError('RATE_LIMITED', undefined, { retryAfterSeconds })
    }
    counters.delete(key)
    counters.set(key, [...recent, now])
  }

  #seatOf(of: string): number {
    const hash = createHash('sha256').update(this.#salt).update(widerNetwork(of))
    return hash.digest().readUInt32BE() % SHARED_COUNTERS
  }

  #forgetOld(now: number): void {
    for (const [key, times] of this.#own) {
      if ((times.at(-1) ?? 0) > now - this.#windowMs) return
      this.#own.delete(key)
    }
  }
}
