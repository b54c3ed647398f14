import { LONGEST_TIMER_MS } from './journal/deadlines'

/** SES-6: nothing going on for so long, and the host may end. One timer, set anew only when it rings too early. */
export class IdleClock {
  private last = performance.now()
  private timer: NodeJS.Timeout

  constructor(
    private readonly idleMs: number,
    private readonly isBusy: () => boolean,
    private readonly rest: () => void,
  ) {
    this.timer = this.wait(idleMs)
  }

  /** Cheap: called for everything that happens. */
  touch(): void {
    this.last = performance.now()
  }

  dispose(): void {
    clearTimeout(this.timer)
  }

  private wait(ms: number): NodeJS.Timeout {
    return setTimeout(() => this.ring(), Math.min(ms, LONGEST_TIMER_MS))
  }

  private ring(): void {
    if (this.isBusy()) this.last = performance.now()
    const left = this.last + this.idleMs - performance.now()
    if (left <= 0) this.rest()
    else this.timer = this.wait(left)
  }
}
