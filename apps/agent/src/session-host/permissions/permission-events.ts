/** Permission requests as events and as rows of the log file. Pure. */
import type { Author, PermissionAsk, SessionEventOf } from '@roundhouse/backend-types'
import type { Closed, HeldGrant, LedgerEntry } from '@roundhouse/delivery'
import type { RequestRow } from '../../log/statements'
import { type KeptRule, publicRule } from '../../policy/folder-rules'
import { publicGrant } from './grants'

/** A decision that is being sent to the backend, made by a person or a grant. */
export interface DecisionToApply {
  decision: NonNullable<SessionEventOf<'permission_resolved'>['decision']>
  by: Author | { grantId: string }
  commandId?: string | undefined
  reason?: string | undefined
  /** Set if the input that runs differs from the requested one. `shown` has its secrets redacted. */
  edit?: { kind: 'edited' | 'answered'; input: unknown; shown: unknown } | null
  mode?: string | undefined
  effectiveDigest: string
  /** Files that the action writes to and prints, and that changed after the request. */
  changedFiles?: string[]
  grant: HeldGrant | null
  /** Instead of a grant. */
  folderRule?: KeptRule | null
}

export function requestedEvent(ask: PermissionAsk): SessionEventOf<'permission_requested'> {
  return { kind: 'permission_requested', procId: ask.procId, ...turnOf(ask), ask }
}

export function resolvedEvent(ask: PermissionAsk, outcome: Closed['outcome']): SessionEventOf<'permission_resolved'> {
  const { procId, requestId, callId, digest } = ask
  return { kind: 'permission_resolved', procId, ...turnOf(ask), requestId, callId, outcome, digest }
}

/** A request that a rule of the machine's policy, or of the session, refuses at once, without asking anybody. */
export function deniedEvents(
  ask: PermissionAsk,
  rule: { rule: string; pattern?: string },
): [SessionEventOf<'permission_requested'>, SessionEventOf<'permission_resolved'>] {
  const refused = { decision: 'deny', refusedBy: 'policy', ...rule } as const
  return [requestedEvent(ask), { ...resolvedEvent(ask, 'refused'), ...refused }]
}

/** The backend has the decision, or nobody knows whether it does. */
export function decidedEvent(
  ask: PermissionAsk,
  decision: DecisionToApply,
  outcome: 'applied' | 'outcome_unknown',
  reasonUndelivered: boolean,
): SessionEventOf<'permission_resolved'> {
  const { commandId, reason, grant, folderRule, edit, mode, changedFiles = [] } = decision
  return {
    ...resolvedEvent(ask, outcome),
    ...(commandId === undefined ? {} : { commandId }),
    decision: decision.decision,
    by: decision.by,
    ...(reason === undefined ? {} : { reason }),
    effectiveDigest: decision.effectiveDigest,
    ...(changedFiles.length === 0 ? {} : { changedFiles }),
    ...(edit ? { [edit.kind]: true, effectiveInput: edit.shown } : {}),
    ...(mode === undefined ? {} : { mode }),
    ...(outcome === 'applied' && grant ? { grant: publicGrant(grant) } : {}),
    ...(outcome === 'applied' && folderRule ? { folderRule: publicRule(folderRule) } : {}),
    ...(decision.decision === 'allow_session' && !grant && !folderRule ? { degraded: true } : {}),
    ...(reasonUndelivered ? { reasonUndelivered: true } : {}),
  }
}

/** Accompanies a decision that changed the mode. */
export function configuredEvent({ mode, by, commandId }: DecisionToApply): SessionEventOf<'session_configured'> {
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
