/**
 * Numbers that only grow, also over restarts, without a write for each: the count of the hub's starts is the upper
 * part. Views and inbox steps carry them. A reader keeps the newest (SES-5), and a jump of the inbox means that the
 * reader must fetch it (VIEW-7).
 */
const PER_START = 2 ** 32

export class Rev {
  #value: number

  constructor(starts: number) {
    this.#value = starts * PER_START
  }

  get current(): number {
    return this.#value
  }

  next(step = 1): number {
    this.#value += step
    return this.#value
  }
}
