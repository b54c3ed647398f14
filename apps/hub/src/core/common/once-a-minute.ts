/** What may be said once per minute and cause: whoever repeats a fault fills neither the audit log nor the disk. */

const MINUTE_MS = 60_000
/** Causes hold what others choose. Beyond so many within a minute nothing is said. */
const MOST_CAUSES = 1_000

export class OnceAMinute {
  readonly #now: () => number
  /** When it was said; the oldest first. */
  readonly #said = new Map<string, number>()

  constructor(now: () => number) {
    this.#now = now
  }

  /** True where nobody heard of this cause within the last minute. */
  isNews(cause: string): boolean {
    const now = this.#now()
    for (const [said, at] of this.#said) {
      if (Math.abs(now - at) < MINUTE_MS) break
      this.#said.delete(said)
    }
    if (this.#said.has(cause) || this.#said.size >= MOST_CAUSES) return false
    this.#said.set(cause, now)
    return true
  }
}
