/**
 * The events that close what a dead process left open, in the order in which a reader expects them: the calls, the
 * requests, the grants, the turn (LOG-7, RES-2, PERM-3, PERM-5). Before them the lease holder writes the spooled blocks
 * and `process_exited`; it appends all of it in one transaction, so that a crash in between leaves nothing half closed.
 */
import type { SessionEvent } from '@roundhouse/backend-types'
import type { OpenParts, SessionProjection } from '../events/session-projection'
import { orphanAll, type PermissionLedger } from './permission-ledger'

export interface OpenCall {
  callId: string
  /** The call that a sub-agent works for; null in the main conversation. */
  parentCallId: string | null
}

export interface OpenWork {
  procId: string
  turnId: string | null
  /** The prompt was handed over and not one frame came back, not even a live one. */
  silent: boolean
  /** The command that the running turn came from. */
  commandId?: string | undefined
  calls: readonly OpenCall[]
  ledger: PermissionLedger
  grantIds: readonly string[]
}

/** `crashed`: it went by itself. `stopped`: it was ended on purpose; grants survive that. */
export type CrashKind = 'crashed' | 'stopped'

export function closeAfterCrash(open: OpenWork, why: CrashKind): SessionEvent[] {
  const { procId } = open
  const inTurn = { procId, ...(open.turnId === null ? {} : { turnId: open.turnId }) }
  const calls = closeCalls(open.calls, inTurn)
  const requests = orphanAll(open.ledger, procId).closed.map(
    ({ ask, outcome, applying }): SessionEvent => ({
      kind: 'permission_resolved',
      ...inTurn,
      ...(applying?.commandId ? { commandId: applying.commandId } : {}),
      requestId: ask.requestId,
      callId: ask.callId,
      outcome,
      digest: ask.digest,
      ...(applying ? { decision: applying.decision, effectiveDigest: applying.effectiveDigest } : {}),
    }),
  )
  const grants =
    why === 'stopped'
      ? []
      : open.grantIds.map((grantId): SessionEvent => ({ kind: 'grant_ended', grantId, why: 'crash' }))
  return [...calls, ...requests, ...grants, ...turnEnd(open)]
}

/** Calls that nobody will answer any more, as interrupted results (LOG-7). */
export function closeCalls(calls: readonly OpenCall[], inTurn: { procId?: string; turnId?: string }): SessionEvent[] {
  return calls.map(({ callId, parentCallId }) => ({
    kind: 'tool_result',
    ...inTurn,
    ...(parentCallId === null ? {} : { parentCallId }),
    callId,
    output: null,
    isError: true,
    interrupted: true,
  }))
}

/** What the log says is unanswered. */
export function openCallsOf({ openCalls }: Pick<OpenParts, 'openCalls'>): OpenCall[] {
  return Object.entries(openCalls).map(([callId, { parentCallId }]) => ({ callId, parentCallId }))
}

/**
 * Whether a call ends with the turn (LOG-7): it is one of the main conversation, or was made for one that is still open. A
 * helper whose own call has its result runs in the background, and what it called goes on. Null: no such call is open.
 */
export function endsWithTurn({ openCalls }: Pick<OpenParts, 'openCalls'>, callId: string): boolean | null {
  if (!openCalls[callId]) return null
  const seen = new Set<string>()
  for (let at: string | null = callId; at !== null; at = openCalls[at]?.parentCallId ?? null) {
    if (!openCalls[at] || seen.has(at)) return false
    seen.add(at)
  }
  return true
}

function turnEnd(open: OpenWork): SessionEvent[] {
  if (open.turnId === null) return []
  return [
    {
      kind: 'turn_completed',
      procId: open.procId,
      turnId: open.turnId,
      ...(open.commandId === undefined ? {} : { commandId: open.commandId }),
      reason: open.silent ? 'outcome_unknown' : 'process_exited',
    },
  ]
}

/** What the log says is open. The rest the lease holder knows from its own tables. */
export function openWorkOf(
  projection: SessionProjection,
  known: { procId: string; silent: boolean; commandId?: string | undefined; ledger: PermissionLedger },
): OpenWork {
  return {
    ...known,
    turnId: projection.turnId,
    calls: openCallsOf(projection),
    grantIds: projection.grants.map(({ grantId }) => grantId),
  }
}
