/** Requests that the host refuses without asking anybody: a rule of the machine forbids them, or they cannot be shown. */
import { type PermissionAsk, type PermissionRequest, sessionRuleId, toCodedError } from '@roundhouse/backend-types'
import type { BrokerPorts } from './broker-ports'
import { closedRow, deniedEvents } from './permission-events'

type DenyingPorts = Pick<BrokerPorts, 'journal' | 'respond'>
type DenialPorts = DenyingPorts & Pick<BrokerPorts, 'turnId'>

/** The request never waits, so it is in no ledger. Both of its events are on disk before the backend hears the refusal. */
export async function denyByRule({ journal, respond }: DenyingPorts, ask: PermissionAsk, rule: string): Promise<void> {
  const reason = `The policy of this machine forbids it (${rule}). Do not try it in another way.`
  await deny({ journal, respond }, ask, reason, { rule })
}

/** PERM-12: by a rule of the session. */
export async function denyBySession(ports: DenyingPorts, ask: PermissionAsk, pattern: string): Promise<void> {
  const reason = `The rules of this session deny it (${pattern}). Do not try it in another way.`
  await deny(ports, ask, reason, { rule: sessionRuleId, pattern })
}

async function deny(
  { journal, respond }: DenyingPorts,
  ask: PermissionAsk,
  reason: string,
  rule: { rule: string; pattern?: string },
): Promise<void> {
  const closed = { ask, applying: null, outcome: 'refused' } as const
  await journal.record(deniedEvents(ask, rule), { requests: [closedRow(closed)] })
  // If the backend is gone by now, nothing waits.
  await respond({ callId: ask.callId, decision: 'deny', reason }).catch(() => {})
}

/** PERM-6: no event can hold this request, so it never opens. The program gets a refusal at once, because no decision could come. */
export async function denyUnreadable(
  { journal, respond, turnId }: DenialPorts,
  procId: string,
  { callId }: PermissionRequest,
  cause: unknown,
): Promise<void> {
  const turn = turnId()
  const place = { procId, ...(turn === undefined ? {} : { turnId: turn }) }
  const why = cause instanceof Error ? cause.message : toCodedError(cause).message
  const message = `A permission request could not be read and was refused: ${why.slice(0, 500)}`
  const data = { code: 'MALFORMED_FRAME', callId, message }
  void journal.record([{ kind: 'system', ...place, subtype: 'warning', data }]).catch(() => {})
  const reason = 'The request could not be shown to a person, so it was refused. Ask for something smaller.'
  await respond({ callId, decision: 'deny', reason }).catch(() => {})
}
