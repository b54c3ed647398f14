/** Sends machines the newest signed head of the audit log: after each hello, and once a minute while the log grows. */
import type { KeyObject } from 'node:crypto'
import { signedText } from '@roundhouse/backend-types'
import { signText } from '@roundhouse/keys'
import type { AuditWatch, ErrorLog } from '../audit/audit-watch'
import type { Presence } from '../machines/presence'
import { isTold } from '../ports/storage-port'
import type { Transactions } from '../ports/stores'

const EVERY_MS = 60_000
/** Machines that connect shortly after each other get the same head at the next tick. */
const TOGETHER_MS = 1_000

interface AuditHeadParts {
  /** The epoch may change while the hub runs (REB-2). */
  hub: { hubId: string; hubEpoch: string; privateKey: KeyObject }
  auditWatch: AuditWatch
  transactions: Transactions
  presence: Presence
  now: () => number
  /** A monotonic clock. */
  elapsed: () => number
  log: ErrorLog
}

export class AuditHeads {
  readonly #parts: AuditHeadParts
  readonly #wanting = new Set<string>()
  #givenId = 0
  #givenAt = Number.NEGATIVE_INFINITY
  #askedAt = Number.NEGATIVE_INFINITY
  #running: Promise<void> = Promise.resolve()

  constructor(parts: AuditHeadParts) {
    this.#parts = parts
  }

  /** The machine is connected, and the head that it returned is stored. */
  want(agentId: string): void {
    this.#wanting.add(agentId)
    if (this.#wanting.size === 1 && this.#parts.elapsed() - this.#askedAt >= TOGETHER_MS) this.#begin()
  }

  async tick(): Promise<void> {
    const { presence, elapsed, auditWatch } = this.#parts
    if (this.#wanting.size > 0) this.#begin()
    if (elapsed() - this.#givenAt < EVERY_MS || (await auditWatch.newestId()) === this.#givenId) return
    for (const agentId of presence.agentIds()) if (presence.isOnline(agentId)) this.want(agentId)
  }

  idle(): Promise<void> {
    return this.#running
  }

  #begin(): void {
    this.#askedAt = this.#parts.elapsed()
    this.#running = this.#running.then(() => this.#give()).catch((error) => this.#failed(error))
  }

  /** Sends nothing while the log is known to be broken, so that machines keep the evidence. */
  async #give(): Promise<void> {
    const { auditWatch, transactions, presence, hub, now, elapsed } = this.#parts
    const { intact } = await auditWatch.check()
    const agentIds = [...this.#wanting]
    this.#wanting.clear()
    if (agentIds.length === 0) return
    const [at, givenAt, { hubEpoch }] = [now(), elapsed(), hub]
    const next = intact ? await transactions.write((tx) => tx.audit.nextHead()).catch(this.#unlessFull(agentIds)) : null
    if (!next) return
    this.#givenId = next.id
    this.#givenAt = givenAt
    const facts = { ...next, hubEpoch, at }
    const signature = signText(hub.privateKey, signedText.auditHeadGiven(hub.hubId, facts))
    for (const agentId of agentIds) presence.current(agentId)?.link.auditHead({ ...facts, signature })
  }

  /** A full disk is reported once for all (STORE-7). The machines get their head when the disk takes writes again. */
  #unlessFull(agentIds: readonly string[]): (error: unknown) => null {
    return (error) => {
      if (!isTold(error)) throw error
      for (const agentId of agentIds) this.#wanting.add(agentId)
      return null
    }
  }

  #failed(error: unknown): void {
    this.#wanting.clear()
    this.#parts.log.error({ error: String(error) }, 'could not send a head of the audit log')
  }
}
