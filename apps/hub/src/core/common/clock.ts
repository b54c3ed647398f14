/**
 * LOG-10: how far a machine's clock is ahead of the hub's. A delayed message makes the clock look slower than it is,
 * never faster, so the highest of the latest measurements is the best one.
 */

/** One with each ping, about 20 s apart. */
const MEASUREMENTS = 3
/** The time that a message may take. Smaller differences are not corrected. */
const NOISE_MS = 1_000
/** Above this, people should know (CLOCK_SKEW). */
const SKEW_MS = 30_000

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

  /** The first message on a connection. */
  begin(measuredMs: number): void {
    this.#latest = [measuredMs]
    this.#offsetMs = measuredMs
  }

  /** True if the correction changed. */
  measure(measuredMs: number): boolean {
    this.#latest = [...this.#latest, measuredMs].slice(-MEASUREMENTS)
    const best = Math.max(...this.#latest)
    if (Math.abs(best - this.#offsetMs) < NOISE_MS) return false
    this.#offsetMs = best
    return true
  }
}

/** For the page. Undefined while nobody needs to know. */
export const skewOf = (offsetMs: number): number | undefined =>
  Math.abs(offsetMs) > SKEW_MS ? Math.round(offsetMs) : undefined
