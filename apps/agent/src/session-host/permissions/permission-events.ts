/** Permission requests as events and as rows of the log file. Pure. */
import type { Author, PermissionAsk, SessionEventOf } from '@roundhouse/backend-types'
import type { Closed, HeldGrant, LedgerEntry } from '@roundhouse/delivery'
import type { RequestRow } from '../../log/statements'
import { publicGrant } from './grants'

/** A decision on its way to the backend. */
export interface Answer {
  decision: NonNullable<SessionEventOf<'permission_resolved'>['decision']>
  by: Author | { grantId: string }
  commandId?: string | undefined
  reason?: string | undefined
  /** Where what runs is not what was asked. `shown`: with its secrets taken out. */
  edit?: { kind: 'edited' | 'answered'; input: unknown; shown: unknown } | null
  mode?: string | undefined
  effectiveDigest: string
  /** It writes to them and prints them, and they were others when it was asked. */
  changedFiles?: string[]
  grant: HeldGrant | null
}

export function requestedEvent(ask: PermissionAsk): SessionEventOf<'permission_requested'> {
  return { kind: 'permission_requested', procId: ask.procId, ...turnOf(ask), ask }
}

export function resolvedEvent(ask: PermissionAsk, outcome: Closed['outcome']): SessionEventOf<'permission_resolved'> {
  const { procId, requestId, callId, digest } = ask
  return { kind: 'permission_resolved', procId, ...turnOf(ask), requestId, callId, outcome, digest }
}

/** Asked and refused at once, by a rule of the machine's policy: nobody is asked. */
export function deniedEvents(
  ask: PermissionAsk,
  rule: string,
): [SessionEventOf<'permission_requested'>, SessionEventOf<'permission_resolved'>] {
  const refused = { decision: 'deny', refusedBy: 'policy', rule } as const
  return [requestedEvent(ask), { ...resolvedEvent(ask, 'refused'), ...refused }]
}

/** The backend was answered, or nobody knows whether it was. */
export function answeredEvent(
  ask: PermissionAsk,
  answer: Answer,
  outcome: 'applied' | 'outcome_unknown',
  reasonUndelivered: boolean,
): SessionEventOf<'permission_resolved'> {
  const { commandId, reason, grant, edit, mode, changedFiles = [] } = answer
  return {
    ...resolvedEvent(ask, outcome),
    ...(commandId === undefined ? {} : { commandId }),
    decision: answer.decision,
    by: answer.by,
    ...(reason === undefined ? {} : { reason }),
    effectiveDigest: answer.effectiveDigest,
    ...(changedFiles.length === 0 ? {} : { changedFiles }),
    ...(edit ? { [edit.kind]: true, effectiveInput: edit.shown } : {}),
    ...(mode === undefined ? {} : { mode }),
    ...(outcome === 'applied' && grant ? { grant: publicGrant(grant) } : {}),
    ...(answer.decision === 'allow_session' && !grant ? { degraded: true } : {}),
    ...(reasonUndelivered ? { reasonUndelivered: true } : {}),
  }
}

/** Beside an answer that changed the mode. */
export function configuredEvent({ mode, by, commandId }: Answer): SessionEventOf<'session_configured'> {
  return {
    kind: 'session_configured',
    changes: mode === undefined ? {} : { mode },
    by: 'person',
    ...('userId' in by ? { author: by } : {}),
    ...(commandId === undefined ? {} : { commandId }),
  }
}

export function openRow(entry: LedgerEntry): RequestRow {
  const { requestId, procId } = entry.ask
  return { requestId, procId, outcome: entry.applying ? 'applying' : 'open', row: JSON.stringify(entry) }
}

export function closedRow({ ask, applying, outcome }: Closed): RequestRow {
  return { requestId: ask.requestId, procId: ask.procId, outcome, row: JSON.stringify({ ask, applying }) }
}

function turnOf(ask: PermissionAsk): { turnId?: string } {
  return ask.turnId === undefined ? {} : { turnId: ask.turnId }
}
