/**
 * Checks that the audit log is as written: every row follows the one before, no row is missing at the end, every
 * decision in the register of requests has its row (T51), and every head that a machine returned is in the log (AUD-2).
 * The check continues where it stopped, and a broken log stays broken. No turn of the event loop reads more than two
 * batches of rows.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { AuditState } from '@roundhouse/backend-types'
import type { AuditStore, DisownedHead } from '../ports/audit-store'
import { ChainWalk } from './audit-chain'
import { DecisionWalk } from './audit-decisions'
import { judgeHeads } from './audit-head'

const ROWS_AT_ONCE = 1_000

export class AuditCheck {
  readonly #reads: AuditStore
  readonly #walk = new ChainWalk()
  readonly #decisions: DecisionWalk
  #broken: AuditState['broken'] = null
  #running: Promise<AuditState> | null = null
  /** The result of the last completed check. */
  last: AuditState | null = null

  constructor(reads: AuditStore) {
    this.#reads = reads
    this.#decisions = new DecisionWalk(reads)
  }

  run(): Promise<AuditState> {
    this.#running ??= this.#run().finally(() => {
      this.#running = null
    })
    return this.#running
  }

  async #run(): Promise<AuditState> {
    while (this.#broken === null && (await this.#walkOn())) await nextTurn()
    this.#broken ??= await this.#undecided()
    // The order matters: a restore that explains a missing head is among the rows that are walked after the heads were
    // read.
    const disowned = await this.#reads.disownedHeads()
    const { hubEpoch } = await this.#reads.hub()
    while (this.#broken === null && (await this.#walkOn())) await nextTurn()
    const { count, head, restores: ownRestores } = this.#walk
    const { cut, restores } = judgeHeads(disowned, { hubEpoch, restores: ownRestores })
    const broken = this.#broken ?? (cut && { id: cut.id, why: whyCut(cut) })
    this.last = { intact: broken === null, count, head, restores, broken }
    return this.last
  }

  /** False: there is no further row. */
  async #walkOn(): Promise<boolean> {
    const { rows, start, lastId } = await this.#reads.after(this.#walk.head.id, ROWS_AT_ONCE)
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

  async #undecided(): Promise<AuditState['broken']> {
    const requestId = await this.#decisions.run()
    return requestId === undefined ? null : { requestId, why: 'a decision that nobody is on record for' }
  }
}

const whyCut = ({ agentId, foundAt }: DisownedHead): string =>
  foundAt === null
    ? `it is missing, and the machine ${agentId} has it signed: the end of the log was cut off, or the file is an older one`
    : `the machine ${agentId} has another row of this number, signed: the end of the log was replaced`
