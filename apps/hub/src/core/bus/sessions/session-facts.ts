/**
 * What the hub says on the bus about every session, whether or not its program speaks there (BUS-13): that it asks for a permission,
 * that a request is closed, that a turn or the session has ended. Ids and words of the hub, never what a person or a program wrote:
 * whoever needs more asks for it by these ids. Pure.
 */
import type { SessionEvent, SessionEventKind, SessionEventOf } from '@roundhouse/backend-types'
import type { SchemaData, SchemaName } from '@roundhouse/bus'
import { sha256 } from '../../common/digests'
import type { NewBusRow } from '../../ports/bus-store'
import { systemRow } from '../messages/bus-messages'

type Fact = Extract<SchemaName, `system-${string}`>

interface Said<N extends Fact = Fact> {
  schema: N
  data: SchemaData<N>
}

const said = <N extends Fact>(schema: N, data: SchemaData<N>): Said => ({ schema, data }) as Said

type Tell<K extends SessionEventKind> = (
  event: SessionEventOf<K>,
  of: { session_id: string },
  outcome: string | null | undefined,
) => Said

const table: Partial<{ [K in SessionEventKind]: Tell<K> }> = {
  permission_requested: ({ ask }, of) =>
    said('system-permission-asked-v1', {
      ...of,
      request_id: ask.requestId,
      tool: ask.toolName.slice(0, 256),
      ...(ask.turnId === undefined ? {} : { turn_id: ask.turnId }),
    }),
  permission_resolved: ({ requestId, outcome, decision, supersededBy }, of) =>
    said('system-permission-closed-v1', {
      ...of,
      request_id: requestId,
      outcome,
      ...(decision === undefined ? {} : { decision }),
      ...(supersededBy === undefined ? {} : { superseded_by: supersededBy }),
    }),
  turn_completed: ({ turnId, reason, cost, duration }, of) =>
    said('system-turn-completed-v1', {
      ...of,
      turn_id: turnId,
      reason,
      ...(cost === undefined ? {} : { cost_usd: cost }),
      ...(duration === undefined ? {} : { duration_ms: duration }),
    }),
  // The hub itself stops the session of a run that is over (RUN-1.3).
  session_ended: ({ why }, of, outcome) => said('system-session-ended-v1', { ...of, why: outcome ?? why }),
}

export const factKinds = Object.keys(table) as SessionEventKind[]

interface Teller {
  sessionId: string
  agentId: string
  outcome?: string | null
}

/** The number of the event makes the id, so that the same event never says it twice. */
export function sessionFact(
  event: SessionEvent,
  { sessionId, agentId, outcome }: Teller,
  { seq, storedAt }: { seq: number; storedAt: number },
): NewBusRow | null {
  const tell = table[event.kind] as Tell<SessionEventKind> | undefined
  if (!tell) return null
  const { schema, data } = tell(event as SessionEventOf<SessionEventKind>, { session_id: sessionId }, outcome)
  const subject = { peerId: sessionId, kind: 'session', agentId, userId: null } as const
  const messageId = `fact_${sha256(`${sessionId} ${seq}`).slice(0, 40)}`
  return { ...systemRow(schema, data, subject, storedAt), messageId }
}

/** The end of a session that its log does not have: its machine refused it or never took it, or was revoked. It is said once. */
export function endBeside({ sessionId, agentId, why, now }: Omit<Teller, 'outcome'> & { why: string; now: number }) {
  const subject = { peerId: sessionId, kind: 'session', agentId, userId: null } as const
  const messageId = `fact_${sha256(`${sessionId} ended`).slice(0, 40)}`
  return { ...systemRow('system-session-ended-v1', { session_id: sessionId, why }, subject, now), messageId }
}

/** Of a tree whose root is still there: each of its sessions ends, and says so itself. */
export function treeFact({ rootId, agentId, why, now }: { rootId: string; agentId: string; why: string; now: number }) {
  const subject = { peerId: rootId, kind: 'session', agentId, userId: null } as const
  return systemRow('system-tree-stopped-v1', { root_id: rootId, why }, subject, now)
}
