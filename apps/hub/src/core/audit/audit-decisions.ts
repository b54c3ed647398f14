/**
 * Finds decisions that no row of the audit log tells of (T51). The first run reads the whole register of requests, a lot for
 * each turn of the event loop. Each further run reads the newest lot, and one more where the run before stopped, so that what
 * it costs does not grow with the register, and every decision is read again and again.
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

  /** A request whose decision nobody is on record for. */
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

  /** From the beginning again behind the last. */
  async #walkOn(): Promise<string | undefined> {
    const { last, unrecorded } = await this.#reads.requestsAfter(this.#place, REQUESTS_AT_ONCE)
    this.#wasWhole ||= last === null
    this.#place = last ?? 0
    return unrecorded
  }
}
