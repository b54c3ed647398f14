/**
 * Finds out whether the audit log is what was written: every row follows the one before, none is missing at the end, and
 * every decision in the register of requests has its row (T51). Goes on where it stopped; what it found broken stays broken.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { AuditState } from '@roundhouse/backend-types'
import { ChainWalk } from './audit-chain'
import type { AuditReads } from './audit-ports'

const ROWS_AT_ONCE = 1_000

export class AuditCheck {
  readonly #reads: AuditReads
  readonly #walk = new ChainWalk()
  #broken: AuditState['broken'] = null
  #running: Promise<AuditState> | null = null
  /** What the check that ended last found. */
  last: AuditState | null = null

  constructor(reads: AuditReads) {
    this.#reads = reads
  }

  run(): Promise<AuditState> {
    this.#running ??= this.#run().finally(() => {
      this.#running = null
    })
    return this.#running
  }

  async #run(): Promise<AuditState> {
    while (this.#broken === null && this.#walkOn()) await nextTurn()
    this.#broken ??= this.#undecided()
    const { count, head } = this.#walk
    this.last = { intact: this.#broken === null, count, head, broken: this.#broken }
    return this.last
  }

  /** False: there is no further row. */
  #walkOn(): boolean {
    const { rows, start, lastId } = this.#reads.after(this.#walk.head.id, ROWS_AT_ONCE)
    for (const row of rows) {
      const why = this.#walk.step(row, start)
      if (why === null) continue
      this.#broken = { id: row.id, why }
      return false
    }
    if (rows.length === ROWS_AT_ONCE) return true
    const { id } = this.#walk.head
    if (id !== lastId) this.#broken = { id: lastId, why: `the rows after ${id} are missing` }
    return false
  }

  #undecided(): AuditState['broken'] {
    const requestId = this.#reads.decisionWithoutRow()
    return requestId === undefined ? null : { requestId, why: 'a decision that nobody is on record for' }
  }
}
