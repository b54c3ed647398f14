/**
 * The audit rows about a machine's events, written in the transaction that stores them: an input that ran instead of
 * the requested one (PERM-2), and a deed that the machine attributes to a person without a command of this hub
 * (VIEW-8).
 */
import {
  type Author,
  isCutValue,
  type PermissionAsk,
  type SessionEvent,
  type SessionEventOf,
} from '@roundhouse/backend-types'
import { asMachine, entryOf, refusalOf } from '../audit/audit'
import { sha256 } from '../common/digests'
import type { RowLimit } from '../common/row-limit'
import type { WorkingSet } from '../stream/working-set'
import { deeds, namesPerson, provingCommand } from './proven-author'

/** Characters of an input that a row keeps. Its SHA-256 covers the whole input. */
const INPUT_CHARS = 2_000

export interface Told {
  event: SessionEvent
  seq: number
}

export interface AuditOfEvents {
  agentId: string
  sessionId: string
  limit: RowLimit
  now: number
}

/**
 * Called before the events take effect: a request that is still open has a new outcome. Also records which events a
 * command proves.
 */
export function auditEvents(set: WorkingSet, told: readonly Told[], around: AuditOfEvents): void {
  for (const { event, seq } of told) {
    if (!deeds.has(event.kind)) continue
    if (event.kind === 'permission_resolved') auditOutcome(set, event, seq, around)
    const proving = provingCommand(event, seq, around.sessionId, set)
    if (proving) set.commands.setProven(proving.commandId, event.kind, seq)
    if (!proving && namesPerson(event)) auditUnproven(set, event, seq, around)
  }
}

function auditOutcome(
  set: WorkingSet,
  event: SessionEventOf<'permission_resolved'>,
  seq: number,
  { agentId, sessionId, now }: AuditOfEvents,
): void {
  const { requestId, commandId, outcome, digest, effectiveDigest, effectiveInput, mode } = event
  if (effectiveInput === undefined && mode === undefined) return
  const request = set.requests.find(requestId)
  const isNews = request?.sessionId === sessionId && request.outcome === 'open' && request.commandId === commandId
  if (!isNews || commandId === undefined) return
  const detail = {
    outcome,
    sessionId,
    seq,
    commandId,
    digest,
    ...(effectiveDigest === undefined ? {} : { effectiveDigest: effectiveDigest.slice(0, 256) }),
    ...(event.edited === true ? askedFacts(request.ask) : {}),
    ...(effectiveInput === undefined ? {} : inputFacts(effectiveInput)),
    ...(mode === undefined ? {} : { mode: mode.slice(0, 200) }),
  }
  set.hub.appendAudit(entryOf(machine(set, agentId), `permission.${outcome}`, requestId, detail), now)
}

/** The requested input, if an edit ran instead. Empty if the request can no longer be read. */
function askedFacts(ask: PermissionAsk | null): Record<string, string> {
  if (!ask) return {}
  const { input } = ask
  const text = isCutValue(input) ? input.head : (JSON.stringify(input) ?? '')
  return { askedInput: text.slice(0, INPUT_CHARS) }
}

/** The input as the machine reports it, with secrets redacted and long texts cut. */
function inputFacts(input: unknown): Record<string, string> {
  if (isCutValue(input)) {
    return { effectiveInput: input.head.slice(0, INPUT_CHARS), effectiveInputSha256: input.sha256 }
  }
  const text = JSON.stringify(input) ?? ''
  return { effectiveInput: text.slice(0, INPUT_CHARS), effectiveInputSha256: sha256(text) }
}

function auditUnproven(set: WorkingSet, event: SessionEvent, seq: number, around: AuditOfEvents): void {
  const { agentId, sessionId, limit, now } = around
  if (!limit.takes(agentId, now)) return
  const claimed = claimedBy(event)
  const detail = {
    seq,
    kind: event.kind,
    ...('commandId' in event && event.commandId !== undefined ? { commandId: event.commandId } : {}),
    ...('requestId' in event ? { requestId: event.requestId } : {}),
    ...(claimed ? { claimedId: claimed.userId.slice(0, 100), claimedName: claimed.name.slice(0, 100) } : {}),
  }
  set.hub.appendAudit(refusalOf(machine(set, agentId), 'machine.unproven', sessionId, detail), now)
}

function claimedBy(event: SessionEvent): Author | undefined {
  if (event.kind === 'permission_resolved') return event.by && 'userId' in event.by ? event.by : undefined
  return 'author' in event ? event.author : undefined
}

const machine = (set: WorkingSet, agentId: string) =>
  asMachine({ agentId, name: set.machines.fence(agentId)?.name ?? '' })
