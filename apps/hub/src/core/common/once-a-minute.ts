/** Allows one report per cause and minute, so that a repeated fault fills neither the audit log nor the disk. */

const MINUTE_MS = 60_000
/** Callers can choose causes, so beyond this number within a minute nothing is reported. */
const MOST_CAUSES = 1_000

export class OnceAMinute {
  readonly #now: () => number
  /** When each cause was reported; the oldest first. */
  readonly #said = new Map<string, number>()

  constructor(now: () => number) {
    this.#now = now
  }

  /** True if this cause was not reported within the last minute. */
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
