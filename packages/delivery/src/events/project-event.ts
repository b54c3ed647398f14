/**
 * Folds the events of a session into its row (`session-projection.ts`): the same row however often it is run over the log.
 * The session host runs it too, to know after a crash what was left open. What other tables must learn of an event comes
 * back as effects.
 */
import type {
  Decision,
  PermissionAsk,
  PermissionOutcome,
  ResumableReason,
  SessionEvent,
  SessionEventOf,
  SessionSettings,
  TurnEnd,
} from '@roundhouse/backend-types'
import { oneLine } from './one-line'
import type { OpenParts, SessionProjection, SessionSums } from './session-projection'

export type ProjectionEffect =
  | { kind: 'request_opened'; ask: PermissionAsk; seq: number }
  | {
      kind: 'request_resolved'
      requestId: string
      outcome: Exclude<PermissionOutcome, 'open'>
      seq: number
      /** What the host did by its own record: also where a grant or an earlier hub decided. */
      decision: Decision | null
    }
  /** An event carries this command's id: the agent had it, and its effect is in the log (CMD-2). */
  | {
      kind: 'command_caused'
      commandId: string
      state: 'done' | 'outcome_unknown'
      seq: number
      /** Told is that the session exists: a first prompt that came with the command is told by its own events. */
      withoutPrompt?: true
    }
  | { kind: 'turn_completed'; turnId: string; reason: TurnEnd; seq: number }
  /**
   * Part of the log is lost and will never be reported: every command row of the session takes
   * `commandStep(_, 'rebased')`, every open request row the outcome `orphaned` (REB-1).
   */
  | { kind: 'rebased'; seq: number }
  /** Events were pruned before this hub had them: open request rows ended out of sight, `outcome_unknown` (REB-2). */
  | { kind: 'pruned'; seq: number }
  | { kind: 'session_ended'; seq: number }

export interface Projected {
  projection: SessionProjection
  effects: ProjectionEffect[]
}

/** `at` is the time to show, already corrected for the agent's clock (LOG-10). */
export function projectEvent(before: SessionProjection, event: SessionEvent, seq: number, at: number): Projected {
  const change = changeOf(before, event, seq, at)
  const last = event.kind === 'gap' ? event.to : seq
  return {
    projection: { ...before, ...change.row, seq: last, updatedAt: Math.max(before.updatedAt, at) },
    effects: [...causedBy(event, seq), ...(change.effects ?? [])],
  }
}

/** An event that the hub could not read (`opaque`, `tombstone`) still moves the row on. */
export function projectUnreadable(before: SessionProjection, lastSeq: number, at: number): SessionProjection {
  return { ...before, seq: lastSeq, updatedAt: Math.max(before.updatedAt, at) }
}

/** The hub keeps the text of a question too many nowhere; its id tells, beside the host's account, that it is open. */
export function projectWithoutRoom(
  before: SessionProjection,
  requestId: string,
  seq: number,
  at: number,
): SessionProjection {
  const withoutRoom = [...(before.withoutRoom ?? []), requestId].slice(-MAX_WITHOUT_ROOM)
  return { ...projectUnreadable(before, seq, at), withoutRoom }
}

const MAX_WITHOUT_ROOM = 500

function configured(
  settings: SessionSettings,
  { changes, unset = [] }: SessionEventOf<'session_configured'>,
): SessionSettings {
  const next = { ...settings, ...changes }
  for (const setting of unset) delete next[setting]
  return next
}

interface Change {
  row?: Partial<SessionProjection>
  effects?: ProjectionEffect[]
}

function changeOf(p: SessionProjection, event: SessionEvent, seq: number, at: number): Change {
  switch (event.kind) {
    case 'session_created':
      return {
        row: {
          logId: event.logId,
          settings: event.settings,
          realWorkDir: event.realWorkDir,
          title: event.title ?? p.title,
          author: event.author ?? p.author,
          continuedFrom: event.continuedFrom ?? null,
          // After a lost log a second one is made for the same session: it keeps its age.
          createdAt: p.createdAt || at,
        },
      }
    case 'session_started':
      return { row: { backendSessionId: event.backendSessionId, exit: null } }
    case 'session_configured':
      return { row: { settings: p.settings && configured(p.settings, event) } }
    case 'turn_started':
      return { row: { turnId: event.turnId, turnFailed: false, lastTurn: undefined } }
    case 'turn_completed':
      return turnCompleted(p, event, seq)
    case 'user_message':
    case 'assistant_text':
      return { row: { lastLine: said(event) ?? p.lastLine } }
    case 'tool_use':
      return { row: { openCalls: withCall(p.openCalls, event) } }
    case 'tool_result':
      return { row: { openCalls: without(p.openCalls, event.callId) } }
    case 'permission_requested':
      return {
        row: { requests: { ...p.requests, [event.ask.requestId]: event.ask } },
        effects: [{ kind: 'request_opened', ask: event.ask, seq }],
      }
    case 'permission_resolved':
      return permissionResolved(p, event, seq)
    case 'grant_ended':
      return { row: { grants: p.grants.filter((grant) => grant.grantId !== event.grantId) } }
    case 'process_exited':
      return { row: { exit: { procId: event.procId, why: exitReason[event.cause], error: event.error ?? null } } }
    case 'session_ended':
      return {
        row: { ended: { why: event.why, error: event.error ?? null } },
        effects: [{ kind: 'session_ended', seq }],
      }
    case 'gap':
      return gap(p, event, seq)
    case 'thinking':
    case 'plan':
    case 'system':
    case 'token_budget_warning':
    case 'published':
    case 'session_request':
      return {}
  }
}

const isKnown = ({ knownTo = 0 }: SessionSums, seq: number): boolean => seq <= knownTo

const exitReason = {
  crashed: 'process_exited',
  killed: 'ended_by_person',
  host_died: 'host_died',
  start_failed: 'start_failed',
} as const satisfies Record<SessionEventOf<'process_exited'>['cause'], ResumableReason>

function turnCompleted(p: SessionProjection, event: SessionEventOf<'turn_completed'>, seq: number): Change {
  const isOther = p.turnId !== null && p.turnId !== event.turnId
  const { reason, error } = event
  return {
    row: {
      turnId: isOther ? p.turnId : null,
      turnFailed: isOther ? p.turnFailed : reason === 'failed',
      lastTurn: isOther ? p.lastTurn : { reason, ...(error ? { error } : {}) },
      // A sum beyond all numbers is one that nobody could store.
      cost: isKnown(p, seq) ? p.cost : Math.min(p.cost + (event.cost ?? 0), Number.MAX_VALUE),
      contextUsage: event.contextUsage ?? p.contextUsage,
    },
    effects: [{ kind: 'turn_completed', turnId: event.turnId, reason, seq }],
  }
}

function permissionResolved(p: SessionProjection, event: SessionEventOf<'permission_resolved'>, seq: number): Change {
  const { requestId, outcome, grant, decision = null } = event
  return {
    row: {
      requests: without(p.requests, requestId),
      ...(p.withoutRoom ? { withoutRoom: p.withoutRoom.filter((id) => id !== requestId) } : {}),
      grants: grant && !isKnown(p, seq) ? [...p.grants, grant] : p.grants,
    },
    effects: [{ kind: 'request_resolved', requestId, outcome, seq, decision }],
  }
}

/** What was open before a gap may have been closed inside it, out of sight: nothing of it may stay open. */
function gap({ lastTurn }: SessionProjection, event: SessionEventOf<'gap'>, seq: number): Change {
  const nothing: OpenParts = { turnId: null, turnFailed: false, openCalls: {}, requests: {}, withoutRoom: undefined }
  return {
    row: { ...nothing, grants: [], lastTurn: undefined, ...(lastTurn ? {} : { isTorn: true }) },
    effects: [{ kind: event.reason === 'pruned' ? 'pruned' : 'rebased', seq }],
  }
}

function causedBy(event: SessionEvent, seq: number): ProjectionEffect[] {
  if (event.kind === 'gap' || event.commandId === undefined) return []
  const unknown =
    (event.kind === 'turn_completed' && event.reason === 'outcome_unknown') ||
    (event.kind === 'permission_resolved' && event.outcome === 'outcome_unknown')
  const state = unknown ? 'outcome_unknown' : 'done'
  const part = event.kind === 'session_created' ? { withoutPrompt: true as const } : {}
  return [{ kind: 'command_caused', commandId: event.commandId, state, seq, ...part }]
}

/** Null for what a sub-agent said: it is not what the session is about. */
function said(event: SessionEventOf<'user_message'> | SessionEventOf<'assistant_text'>): string | null {
  if (event.kind === 'assistant_text' && event.parentCallId !== undefined) return null
  return oneLine(typeof event.text === 'string' ? event.text : event.text.head) || null
}

/** A backend that never reports its calls back must not make the row grow. */
const openCallLimit = 256

function withCall(open: OpenParts['openCalls'], event: SessionEventOf<'tool_use'>): OpenParts['openCalls'] {
  const oldest = Object.keys(open)[openCallLimit - 1] === undefined ? undefined : Object.keys(open)[0]
  const kept = oldest === undefined ? open : without(open, oldest)
  return { ...kept, [event.callId]: { parentCallId: event.parentCallId ?? null } }
}

function without<V>(record: Readonly<Record<string, V>>, key: string): Readonly<Record<string, V>> {
  const { [key]: _gone, ...rest } = record
  return rest
}
