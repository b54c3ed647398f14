/** Gives machines the newest head of the audit log, signed: after each hello, and once a minute while it moves. */
import { type AuditHead, type Hello, signedText } from '@roundhouse/backend-types'
import { signText } from '@roundhouse/keys'
import { asMachine, refusalOf } from './audit'
import { isGivenBy } from './audit-head'
import type { Context } from './context'
import type { AgentRow, WriteTx } from './ports'

const EVERY_MS = 60_000

export class AuditHeads {
  readonly #context: () => Context
  readonly #wanting = new Set<string>()
  #givenId = 0
  #givenAt = 0
  #running: Promise<void> = Promise.resolve()

  constructor(context: () => Context) {
    this.#context = context
  }

  /** The machine is connected, and what it returned is stored. */
  want(agentId: string): void {
    this.#wanting.add(agentId)
    if (this.#wanting.size === 1)
      this.#running = this.#running.then(() => this.#give()).catch((error) => this.#failed(error))
  }

  tick(): void {
    const { presence, now, auditWatch } = this.#context()
    if (now() - this.#givenAt < EVERY_MS || auditWatch.newestId() === this.#givenId) return
    for (const agentId of presence.agentIds()) if (presence.isOnline(agentId)) this.want(agentId)
  }

  idle(): Promise<void> {
    return this.#running
  }

  /** While the log is known to be broken nothing is given: machines keep what shows it. */
  async #give(): Promise<void> {
    const { auditWatch, transactions, presence, hub, now } = this.#context()
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
    this.#context().log.error({ error: String(error) }, 'no head of the audit log could be given')
  }
}

export type TakenHeads = 'none' | 'taken' | 'hub_restored'

/** Inside the transaction of a hello. What this hub did not sign is refused and on record; it proves nothing. */
export async function takeHeads(context: Context, tx: WriteTx, agent: AgentRow, hello: Hello): Promise<TakenHeads> {
  const heads = hello.auditHeads ?? []
  if (heads.length === 0) return 'none'
  const own = heads.filter((head) => isGivenBy(context.hub, head))
  const given = await tx.auditHeadsGiven()
  if (own.some((head) => head.hubEpoch === context.hub.hubEpoch && head.count > given)) return 'hub_restored'
  if (own.length < heads.length && context.told.isNews(`audit head ${agent.agentId}`)) {
    await tx.audit(refusalOf(asMachine(agent), 'agent.audit_head', undefined, { unsigned: true }), context.now())
  }
  for (const head of own) await keep(tx, agent, head, context.now())
  return 'taken'
}

const keep = (tx: WriteTx, { agentId }: AgentRow, { signature: _, ...head }: AuditHead, returnedAt: number) =>
  tx.keepReturnedHead({ ...head, agentId, returnedAt })
