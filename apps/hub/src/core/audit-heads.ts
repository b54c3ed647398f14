/** Gives machines the newest head of the audit log, signed: after each hello, and once a minute while it moves. */
import type { KeyObject } from 'node:crypto'
import { signedText } from '@roundhouse/backend-types'
import { signText } from '@roundhouse/keys'
import type { AuditWatch, ErrorLog } from './audit-watch'
import type { Transactions } from './ports'
import type { Presence } from './presence'

const EVERY_MS = 60_000

interface AuditHeadParts {
  /** Its epoch may change while it runs (REB-2). */
  hub: { hubId: string; hubEpoch: string; privateKey: KeyObject }
  auditWatch: AuditWatch
  transactions: Transactions
  presence: Presence
  now: () => number
  log: ErrorLog
}

export class AuditHeads {
  readonly #parts: AuditHeadParts
  readonly #wanting = new Set<string>()
  #givenId = 0
  #givenAt = 0
  #running: Promise<void> = Promise.resolve()

  constructor(parts: AuditHeadParts) {
    this.#parts = parts
  }

  /** The machine is connected, and what it returned is stored. */
  want(agentId: string): void {
    this.#wanting.add(agentId)
    if (this.#wanting.size === 1)
      this.#running = this.#running.then(() => this.#give()).catch((error) => this.#failed(error))
  }

  tick(): void {
    const { presence, now, auditWatch } = this.#parts
    if (now() - this.#givenAt < EVERY_MS || auditWatch.newestId() === this.#givenId) return
    for (const agentId of presence.agentIds()) if (presence.isOnline(agentId)) this.want(agentId)
  }

  idle(): Promise<void> {
    return this.#running
  }

  /** While the log is known to be broken nothing is given: machines keep what shows it. */
  async #give(): Promise<void> {
    const { auditWatch, transactions, presence, hub, now } = this.#parts
    const { intact } = await auditWatch.check()
    const agentIds = [...this.#wanting]
    this.#wanting.clear()
    const [at, { hubEpoch }] = [now(), hub]
    const next = intact ? await transactions.write((tx) => tx.nextAuditHead()) : null
    if (!next) return
    this.#givenId = next.id
    this.#givenAt = at
    const facts = { ...next, hubEpoch, at }
    const signature = signText(hub.privateKey, signedText.auditHeadGiven(hub.hubId, facts))
    for (const agentId of agentIds) presence.current(agentId)?.link.auditHead({ ...facts, signature })
  }

  #failed(error: unknown): void {
    this.#wanting.clear()
    this.#parts.log.error({ error: String(error) }, 'no head of the audit log could be given')
  }
}
