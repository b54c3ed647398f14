/**
 * The smaller form of events that must exist, used when the full one cannot be written (LOG-7, PERM-6): a turn ends, a
 * request is asked and resolved, a call is closed, a process is gone. It contains our own ids and words, and only the
 * reported facts that are needed to continue. Pure.
 */
import {
  type CodedReason,
  PermissionOutcome,
  type SessionEvent,
  type SessionEventOf,
  TurnEnd,
} from '@roundhouse/backend-types'
import { leastAsk } from './least-ask'
import { shortened, shortId } from './shortened'

const LONGEST_MESSAGE = 2_000

/** Null for an event that may be missing. */
export function leastEvent(event: SessionEvent): SessionEvent | null {
  switch (event.kind) {
    case 'turn_completed': {
      const { turnId, error } = event
      const reason = TurnEnd.safeParse(event.reason)
      const end = { turnId, reason: reason.success ? reason.data : 'failed' } as const
      return { kind: 'turn_completed', ...placeOf(event), ...end, ...leastError(error) }
    }
    case 'permission_requested':
      return { kind: 'permission_requested', ...placeOf(event), ask: leastAsk(event.ask) }
    case 'permission_resolved':
      return leastResolution(event)
    case 'tool_result': {
      const { callId, parentCallId, isError, interrupted } = event
      const message = 'What it gave could not be written.'
      return {
        kind: 'tool_result',
        ...placeOf(event),
        ...(parentCallId === undefined ? {} : { parentCallId: shortId(parentCallId) }),
        callId: shortId(callId),
        output: interrupted ? null : message,
        ...(isError === true ? { isError } : {}),
        ...(interrupted === true ? { interrupted } : {}),
      }
    }
    case 'process_exited': {
      const { procId, code, signal, stderrTail, cause, error } = event
      const exit = {
        code: Number.isInteger(code) ? code : null,
        signal: signal === null ? null : shortened(String(signal), 64),
        stderrTail: shortened(String(stderrTail), LONGEST_MESSAGE),
      }
      return { kind: 'process_exited', ...placeOf(event), procId, ...exit, cause, ...leastError(error) }
    }
    default:
      return null
  }
}

function leastResolution(event: SessionEventOf<'permission_resolved'>): SessionEvent {
  const { requestId, callId, decision, by, refusedBy, supersededBy, digest, effectiveDigest, mode } = event
  const outcome = PermissionOutcome.exclude(['open']).safeParse(event.outcome)
  return {
    kind: 'permission_resolved',
    ...placeOf(event),
    requestId,
    callId: shortId(callId),
    outcome: outcome.success ? outcome.data : 'outcome_unknown',
    ...(decision === undefined ? {} : { decision }),
    ...(by === undefined ? {} : { by }),
    ...(refusedBy === undefined ? {} : { refusedBy }),
    ...(supersededBy === undefined ? {} : { supersededBy }),
    digest,
    ...(effectiveDigest === undefined ? {} : { effectiveDigest }),
    ...(mode === undefined ? {} : { mode }),
  }
}

function placeOf({ commandId, turnId, procId }: { commandId?: string; turnId?: string; procId?: string }) {
  return {
    ...(commandId === undefined ? {} : { commandId }),
    ...(turnId === undefined ? {} : { turnId }),
    ...(procId === undefined ? {} : { procId }),
  }
}

function leastError(error: CodedReason | undefined): { error?: CodedReason } {
  if (!error) return {}
  return {
    error: { code: shortened(String(error.code), 100), message: shortened(String(error.message), LONGEST_MESSAGE) },
  }
}
