/** BAD-4: what a machine sends that no honest one would is refused, logged, and in the audit log once per minute and cause. */
import { type AuditEntry, asMachine, refusalOf } from './audit'
import type { Context } from './context'
import type { LinkFacts } from './link-facts'

/** Codes of refusals that say something of the machine, and nothing of the moment. */
const telling = new Set([
  'SESSION_NOT_YOURS',
  'MALFORMED_FRAME',
  'FRAME_TOO_LARGE',
  'FLOW_VIOLATION',
  'RATE_LIMITED',
  'SESSION_BLOCKED',
])

export const isTelling = (code: string): boolean => telling.has(code)

/** `why` is one of few words of ours; what the machine chose stands in `detail`. */
export function tellMisdeed(
  { told, reads, log, audit }: Pick<Context, 'told' | 'reads' | 'log' | 'audit'>,
  { agentId }: Pick<LinkFacts, 'agentId'>,
  why: string,
  detail: AuditEntry['detail'] = {},
): void {
  if (!told.machines.isNews(`${agentId} ${why}`)) return
  const name = reads.agent(agentId)?.name ?? ''
  log.warn({ agentId, why, ...detail }, 'a machine was refused')
  void audit(refusalOf(asMachine({ agentId, name }), 'machine.refused', agentId, { why, ...detail })).catch(() => {})
}
