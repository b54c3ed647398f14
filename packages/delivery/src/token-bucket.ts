/** Allows a burst, and then a rate per second. Pure. */

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

  /**
   * Returns 0 if the cost was taken. Otherwise returns in how many milliseconds to ask again, or `null`. A cost above
   * the burst counts as the burst.
   */
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
