/**
 * BAD-4: handles what no honest machine would send. It is refused, logged, and recorded in the audit log once per
 * minute and cause.
 */

import { asMachine, refusalOf } from '../audit/audit'
import type { Log } from '../common/log'
import type { OnceAMinute } from '../common/once-a-minute'
import type { AuditEntry } from '../ports/audit-store'
import type { Reads } from '../ports/stores'
import type { LinkFacts } from './link-facts'

export interface MisdeedsDeps {
  audit: (entry: AuditEntry) => Promise<void>
  log: Log
  /** Which misdeeds the audit log already has. */
  machinesTold: OnceAMinute
  reads: Pick<Reads, 'machines'>
}

/** Codes of refusals that say something about the machine rather than the moment. */
const telling = new Set([
  'SESSION_NOT_YOURS',
  'MALFORMED_FRAME',
  'FRAME_TOO_LARGE',
  'FLOW_VIOLATION',
  'RATE_LIMITED',
  'SESSION_BLOCKED',
])

export const isTelling = (code: string): boolean => telling.has(code)

/** `why` is one of our few words; `detail` holds what the machine chose. */
export function tellMisdeed(
  { machinesTold, reads, log, audit }: MisdeedsDeps,
  { agentId }: Pick<LinkFacts, 'agentId'>,
  why: string,
  detail: AuditEntry['detail'] = {},
): void {
  if (!machinesTold.isNews(`${agentId} ${why}`)) return
  log.warn({ agentId, why, ...detail }, 'a machine was refused')
  const tell = async () => {
    const name = (await reads.machines.find(agentId))?.name ?? ''
    await audit(refusalOf(asMachine({ agentId, name }), 'machine.refused', agentId, { why, ...detail }))
  }
  void tell().catch(() => {})
}
