/** Takes the heads of the audit log that a machine returns with its hello (AUD-2). */

import type { AuditHead, Hello } from '@roundhouse/backend-types'
import { asMachine, refusalOf } from '../audit/audit'
import { isGivenBy } from '../audit/audit-head'
import type { OwnHub } from '../common/hub-identity'
import type { OnceAMinute } from '../common/once-a-minute'
import type { MachineRow } from '../ports/machine-store'
import type { WorkingSet } from '../stream/working-set'

export interface TakeAuditHeadsDeps {
  hub: OwnHub
  /** Which misdeeds of machines the audit log already has. */
  machinesTold: OnceAMinute
  now: () => number
}

export type TakenHeads = 'none' | 'taken' | 'hub_restored'

/** Runs inside the commit of a hello. A head that this hub did not sign is refused and recorded; it proves nothing. */
export function takeHeads(deps: TakeAuditHeadsDeps, set: WorkingSet, agent: MachineRow, hello: Hello): TakenHeads {
  const heads = hello.auditHeads ?? []
  if (heads.length === 0) return 'none'
  const own = heads.filter((head) => isGivenBy(deps.hub, head))
  const given = set.hub.headsGiven()
  if (own.some((head) => head.hubEpoch === deps.hub.hubEpoch && head.count > given)) return 'hub_restored'
  if (own.length < heads.length && deps.machinesTold.isNews(`audit head ${agent.agentId}`)) {
    set.hub.appendAudit(refusalOf(asMachine(agent), 'agent.audit_head', undefined, { unsigned: true }), deps.now())
  }
  for (const head of own) keep(set, agent, head, deps.now())
  return 'taken'
}

const keep = (set: WorkingSet, { agentId }: MachineRow, { signature: _, ...head }: AuditHead, returnedAt: number) =>
  set.hub.keepReturnedHead({ ...head, agentId, returnedAt })
