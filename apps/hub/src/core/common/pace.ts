/**
 * How often a task may begin so that others are served too: as often as this thread can, minus a free share. Measured
 * while the task repeats quickly, when hardly anything else keeps the thread busy.
 */
import { performance } from 'node:perf_hooks'

const FIRST_MS = 10
const LEAST_MS = 3
const MOST_MS = 50
/** The share of the time that stays free. */
const FREE = 0.2
/** Events that are further apart say nothing. */
const NEAR_MS = 250
const SMOOTH = 32

export class Pace {
  #costMs = FIRST_MS
  #last = performance.eventLoopUtilization()

  /** The task began once more. */
  step(): void {
    const { active, idle } = performance.eventLoopUtilization(this.#last)
    this.#last = performance.eventLoopUtilization()
    if (active + idle < NEAR_MS) this.#costMs += (active - this.#costMs) / SMOOTH
  }

  get ms(): number {
    return Math.min(MOST_MS, Math.max(LEAST_MS, this.#costMs / (1 - FREE)))
  }
}
