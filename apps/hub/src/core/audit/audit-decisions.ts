/**
 * Finds decisions without a row in the audit log (T51). The first run reads the whole register of requests, one batch
 * per turn of the event loop. Each later run reads the newest batch and one more, from where the previous run stopped.
 * So its cost does not grow with the register, and every decision is checked repeatedly.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { AuditStore } from '../ports/audit-store'

const REQUESTS_AT_ONCE = 1_000

export class DecisionWalk {
  readonly #reads: Pick<AuditStore, 'requestsAfter' | 'newestRequest'>
  #place = 0
  #wasWhole = false

  constructor(reads: Pick<AuditStore, 'requestsAfter' | 'newestRequest'>) {
    this.#reads = reads
  }

  /** Returns a request whose decision has no row, if there is one. */
  async run(): Promise<string | undefined> {
    while (!this.#wasWhole) {
      const found = await this.#walkOn()
      if (found !== undefined) return found
      await nextTurn()
    }
    const place = await this.#reads.newestRequest()
    const newest = await this.#reads.requestsAfter(place - REQUESTS_AT_ONCE, REQUESTS_AT_ONCE)
    return newest.unrecorded ?? (await this.#walkOn())
  }

  /** Starts again from the beginning after the last request. */
  async #walkOn(): Promise<string | undefined> {
    const { last, unrecorded } = await this.#reads.requestsAfter(this.#place, REQUESTS_AT_ONCE)
    this.#wasWhole ||= last === null
    this.#place = last ?? 0
    return unrecorded
  }
}
