/** Checks the audit log of a running hub. A finding is written once to the hub's own log and shown on the page. */
import type { AuditState } from '@roundhouse/backend-types'
import type { AuditStore } from '../ports/audit-store'
import { AuditCheck } from './audit-check'

export interface ErrorLog {
  error(facts: Record<string, unknown>, message: string): void
}

export class AuditWatch {
  readonly #check: AuditCheck
  readonly #reads: AuditStore
  readonly #log: ErrorLog
  #told = false

  constructor(reads: AuditStore, log: ErrorLog) {
    this.#check = new AuditCheck(reads)
    this.#reads = reads
    this.#log = log
  }

  get last(): AuditState | null {
    return this.#check.last
  }

  newestId(): Promise<number> {
    return this.#reads.newestId()
  }

  async check(): Promise<AuditState> {
    const state = await this.#check.run()
    if (state.broken && !this.#told) this.#log.error({ audit: state.broken }, 'THE AUDIT LOG WAS TAMPERED WITH')
    this.#told ||= !state.intact
    return state
  }
}
