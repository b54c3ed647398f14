/** How many answers may be open at once that end only with something else: for each person, and in total. */
import { CodedError } from '@roundhouse/backend-types'

export interface StreamLimits {
  perPerson: number
  inAll: number
}

export class StreamLimit {
  readonly #limits: StreamLimits
  readonly #open = new Map<string, number>()
  #inAll = 0

  constructor(limits: StreamLimits) {
    this.#limits = limits
  }

  /** Until what it returns is called, once or more often. Throws `RATE_LIMITED`. */
  take({ userId }: { userId: string }): () => void {
    const own = this.#open.get(userId) ?? 0
    if (own >= this.#limits.perPerson || this.#inAll >= this.#limits.inAll)
      throw new CodedError('RATE_LIMITED', 'Too many runs are followed at once. Ask for the run itself instead.')
    this.#count(userId, 1)
    let isOpen = true
    return () => {
      if (isOpen) this.#count(userId, -1)
      isOpen = false
    }
  }

  #count(userId: string, by: number): void {
    const own = (this.#open.get(userId) ?? 0) + by
    this.#inAll += by
    if (own > 0) this.#open.set(userId, own)
    else this.#open.delete(userId)
  }
}
