/**
 * LOG-10: how far the clock of a machine is ahead of ours. A message that was long on its way makes the clock look slower
 * than it is, never faster: of the latest measurements the highest is the one to believe.
 */

/** One with each ping: about 20 s. */
const MEASUREMENTS = 3
/** What the way of a message may take: nothing is corrected for less. */
const NOISE_MS = 1_000
/** Beyond this people should know (CLOCK_SKEW). */
export const SKEW_MS = 30_000

export class MachineClock {
  #latest: number[]
  #offsetMs: number

  constructor(offsetMs: number) {
    this.#offsetMs = offsetMs
    this.#latest = []
  }

  get offsetMs(): number {
    return this.#offsetMs
  }

  /** Its first word on a connection. */
  begin(measuredMs: number): void {
    this.#latest = [measuredMs]
    this.#offsetMs = measuredMs
  }

  /** True where the correction is another one now. */
  measure(measuredMs: number): boolean {
    this.#latest = [...this.#latest, measuredMs].slice(-MEASUREMENTS)
    const best = Math.max(...this.#latest)
    if (Math.abs(best - this.#offsetMs) < NOISE_MS) return false
    this.#offsetMs = best
    return true
  }
}

/** For the page: absent while nobody needs to know. */
export const skewOf = (offsetMs: number): number | undefined =>
  Math.abs(offsetMs) > SKEW_MS ? Math.round(offsetMs) : undefined
