/** Decides when an agent tries again (LINK-4), from what it keeps of one connection for the next. */
import { type Failure, patienceMs, pauseMs } from './backoff'

export class LinkPace {
  #failures = 0
  /** What the hub's last answer took, and how often it kept silent since. */
  #tookMs: number | null = null
  #silences = 0

  /** How long the first answer of an attempt may take. */
  get patienceMs(): number {
    return patienceMs(this.#tookMs, this.#silences)
  }

  answered(tookMs: number): void {
    this.#tookMs = tookMs
    this.#silences = 0
  }

  notAnswered(tookMs: number, limitMs: number): void {
    if (tookMs >= limitMs) this.#silences += 1
  }

  /** How long to wait after an attempt, or a connection, that ended so. `random` lies in [0, 1). */
  pauseMs(end: Failure & { lived: boolean }, random: number): number {
    this.#failures = end.lived ? 0 : this.#failures + 1
    return pauseMs(end, this.#failures, random)
  }
}
