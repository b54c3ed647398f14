/** So many at once, and then so many a second. Pure. */

export interface Budget {
  burst: number
  perSecond: number
}

export class TokenBucket {
  readonly #budget: Budget
  #tokens: number
  #at: number

  constructor(budget: Budget, now: number) {
    this.#budget = budget
    this.#tokens = budget.burst
    this.#at = now
  }

  /** 0: taken. Otherwise after how many milliseconds it may be asked for again, or `null`. A cost above the burst is the burst. */
  take(cost: number, now: number): number | null {
    const { burst, perSecond } = this.#budget
    this.#tokens = Math.min(burst, this.#tokens + ((now - this.#at) * perSecond) / 1_000)
    this.#at = now
    const wanted = Math.min(cost, burst)
    if (this.#tokens >= wanted) {
      this.#tokens -= wanted
      return 0
    }
    return perSecond === 0 ? null : Math.ceil(((wanted - this.#tokens) * 1_000) / perSecond)
  }
}
