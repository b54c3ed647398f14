/**
 * Takes the beginning off the log while the hub that has it is connected (REB-3). A little at a time, so that a long log
 * keeps nobody waiting; the daemon's word that the hub's connection stands is what allows it.
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

  /** True: something went, and there may be more. */
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
      // A disk that refuses is told of by the log; what is kept longer does no harm.
      console.error('the log could not be pruned', error)
      return false
    }
  }
}
