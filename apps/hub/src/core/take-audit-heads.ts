/** The heads of the audit log that a machine returns with its hello (AUD-2). */
import type { AuditHead, Hello } from '@roundhouse/backend-types'
import { asMachine, refusalOf } from './audit'
import { isGivenBy } from './audit-head'
import type { Context } from './context'
import type { IngestTx, MachineRow } from './ports'

export type TakenHeads = 'none' | 'taken' | 'hub_restored'

/** Inside the commit of a hello. What this hub did not sign is refused and on record; it proves nothing. */
export function takeHeads(context: Context, tx: IngestTx, agent: MachineRow, hello: Hello): TakenHeads {
  const heads = hello.auditHeads ?? []
  if (heads.length === 0) return 'none'
  const own = heads.filter((head) => isGivenBy(context.hub, head))
  const given = tx.auditHeadsGiven()
  if (own.some((head) => head.hubEpoch === context.hub.hubEpoch && head.count > given)) return 'hub_restored'
  if (own.length < heads.length && context.told.machines.isNews(`audit head ${agent.agentId}`)) {
    tx.audit(refusalOf(asMachine(agent), 'agent.audit_head', undefined, { unsigned: true }), context.now())
  }
  for (const head of own) keep(tx, agent, head, context.now())
  return 'taken'
}

const keep = (tx: IngestTx, { agentId }: MachineRow, { signature: _, ...head }: AuditHead, returnedAt: number) =>
  tx.keepReturnedHead({ ...head, agentId, returnedAt })
