import { LONGEST_TIMER_MS } from './journal/deadlines'

/** SES-6: tells when the host has been idle for long enough to end. Uses one timer and resets it only when it fires too early. */
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

  /** Cheap, because every activity calls it. */
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
