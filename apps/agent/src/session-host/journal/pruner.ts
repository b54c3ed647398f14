/**
 * Removes the beginning of the log in small steps, so that a long log delays nobody (REB-3). It runs only while the
 * daemon reports a connection to the hub that has these events.
 */
import { isDamage } from '../../log/broken-log'
import { planPrune } from '../../log/plan-prune'
import type { Journal } from './journal'

const STEP_EVENTS = 1_000

export interface PruneLimits {
  keepMs: number
  keepBytes: number
}

export class Pruner {
  constructor(
    private readonly journal: Journal,
    private readonly limits: PruneLimits | undefined,
    private readonly now: () => number,
  ) {}

  /** True: something was removed, and there may be more. */
  step(acked: number): boolean {
    if (!this.limits) return false
    const { rows } = this.journal.log
    const excessBytes = rows.usedBytes() - this.limits.keepBytes
    const before = this.now() - this.limits.keepMs
    const rules = { acked, before, excessBytes }
    if (planPrune(rows.oldest(1), rules) === 0) return false
    return this.remove(planPrune(rows.oldest(STEP_EVENTS), rules))
  }

  private remove(upTo: number): boolean {
    try {
      this.journal.prune(upTo)
      return true
    } catch (error) {
      if (isDamage(error)) throw error
      // The log reports a disk that refuses. Keeping events longer does no harm.
      console.error('could not prune the log', error)
      return false
    }
  }
}
