/**
 * The decision about one batch of one session: fence, judge, store, project (LINK-3, ACK-2..4, STORE-2). Pure except
 * for the given budgets and limits. It judges before it changes anything, so a refused batch has no effect.
 */
import type { ErrorCode, HostState, SessionEvent, StoredEvent } from '@roundhouse/backend-types'
import {
  acceptBatch,
  countMalformed,
  isFenced,
  mergeHostState,
  type ProjectionEffect,
  type SessionProjection,
} from '@roundhouse/delivery'
import type { RowLimit } from '../common/row-limit'
import { barredBy } from '../machines/barred'
import { machineLimits, type SessionBudget } from '../machines/machine-limits'
import type { More } from '../ports/stream/stream-writer'
import type { WorkingSet } from '../stream/working-set'
import { foldBatch } from './fold-batch'
import { auditEvents } from './ingest-audit'
import { applyEffects, openListed } from './ingest-effects'
import { type ReadBatch, requestIdsOf } from './read-batch'
import { RequestRoom } from './request-room'
import { newSessionRow, streamChange } from './session-row'

/** The sender and its connection. */
export interface Sender {
  agentId: string
  connEpoch: number
  /** Agent clock minus hub clock (LOG-10). */
  readonly clockOffsetMs: number
}

export interface Refused {
  kind: 'refused'
  code: ErrorCode
  details?: Record<string, unknown>
  message?: string
}

export interface Stored {
  kind: 'stored'
  acked: number
  head: number
  /** The new ones, in order. */
  events: StoredEvent[]
  /** The new events that could be read. */
  known: Array<{ event: SessionEvent; seq: number }>
  effects: ProjectionEffect[]
  projection: SessionProjection
  unreadable: Array<{ seq: number; code: string; path: string }>
  created: boolean
  /** The account lists requests that have no room. */
  crowded: boolean
}

export type Ingested = Stored | Refused

export interface IngestHow {
  stopped: boolean
  now: number
  /** Limits rows about deeds that no command proves. */
  unproven: RowLimit
  madeSessions: SessionBudget
  /** The host's own latest account (LINK-5). */
  account: HostState | null
}

export function ingestBatch(set: WorkingSet, sender: Sender, batch: ReadBatch, how: IngestHow): Ingested | More {
  const { stopped, now } = how
  const { sessionId } = batch
  const { agentId } = sender
  const refusal = fence(set, sender)
  if (refusal) return refusal
  const found = set.sessions.find(sessionId)
  if (!found && set.sessions.isDeleted(sessionId)) return refuse('SESSION_DELETED')
  if (found && found.agentId !== agentId) return refuse('SESSION_NOT_YOURS')
  const tooMany = found ? null : refuseToMake(set, sessionId, agentId, how)
  if (tooMany) return tooMany
  if (batch.fault) return { ...refuse('MALFORMED_FRAME', { seq: batch.fault.seq }), message: batch.fault.message }
  const row = found ?? newSessionRow({ sessionId, agentId, now })
  const { committed, malformed, blocked } = row
  const stream = { logId: row.logId, committed, malformed, blocked, stopped }
  const decision = acceptBatch(stream, batch.logId, batch.events, (seq) =>
    found ? set.events.hashAt(sessionId, seq) : undefined,
  )
  if (decision.kind === 'refuse') {
    const { kind: _, code, ...details } = decision
    return refuse(code, details)
  }
  const { acked, committed: head, logId } = decision
  const before = row.projection
  if (decision.events.length === 0) return { ...nothingNew(), acked, head, projection: before }
  const listed = batch.isPruned ? set.requests.notLoaded(mayBeListed(before, how.account)) : []
  if (listed.length > 0) return { more: { requests: listed } }
  const { clockOffsetMs } = sender
  const room = new RequestRoom(set, sessionId)
  const { bodies, soFar } = batch
  const { floors, appended, ...folded } = foldBatch(before, decision.events, {
    clockOffsetMs,
    now,
    room,
    bodies,
    soFar,
  })
  if (!found) set.sessions.insert(row)
  set.events.append(sessionId, appended)
  auditEvents(set, folded.known, { agentId, sessionId, limit: how.unproven, now })
  const owner = { sessionId, agentId, clockOffsetMs, now }
  applyEffects(set, { ...owner, notBefore: before.updatedAt, floors }, folded.effects)
  set.sessions.update(sessionId, streamChange(row, folded.projection, { logId, committed: head, now }))
  let crowded = false
  if (folded.effects.some(({ kind }) => kind === 'pruned')) {
    const merged = mergeHostState(folded.projection, how.account, null)
    crowded = !openListed(set, { ...owner, notBefore: folded.projection.updatedAt }, merged)
  }
  const events = appended.map(({ event }) => event)
  return { kind: 'stored', acked, head, events, ...folded, created: !found, crowded }
}

const nothingNew = () =>
  ({
    kind: 'stored',
    events: [],
    known: [],
    effects: [],
    unreadable: [],
    created: false,
    crowded: false,
  }) satisfies Partial<Stored>

/** The requests that the account may list after these events: its own, or those that the events left open. */
const mayBeListed = (before: SessionProjection, account: HostState | null): string[] =>
  account ? [...requestIdsOf(account), ...Object.keys(before.requests)] : []

/** BAD-1: five bad frames or envelopes of a session block its stream. Of a blocked one nothing is written. */
export function ingestMalformed(
  set: WorkingSet,
  sender: Sender,
  sessionId: string,
): { blocked: boolean; isNews: boolean } | Refused {
  const refusal = fence(set, sender)
  if (refusal) return refusal
  const row = set.sessions.find(sessionId)
  if (!row || row.agentId !== sender.agentId) return refuse('SESSION_NOT_YOURS')
  if (row.blocked) return { blocked: true, isNews: false }
  const { malformed, blocked } = countMalformed(row)
  set.sessions.update(sessionId, { ...row, malformed, blocked })
  return { blocked, isNews: true }
}

/** LINK-3: nothing is written for a connection that is not the newest, or for an agent that may not write. */
export function fence(set: WorkingSet, sender: Pick<Sender, 'agentId' | 'connEpoch'>): Refused | null {
  const agent = set.machines.fence(sender.agentId)
  if (!agent) return refuse('AUTH_FAILED')
  const barred = barredBy[agent.state]
  if (barred) return refuse(barred)
  return isFenced(sender.connEpoch, agent.connEpoch) ? refuse('FENCED') : null
}

/** SES-3: the machine created a session without a row itself. A rate limit passes with time; a count limit does not. */
function refuseToMake(
  set: WorkingSet,
  sessionId: string,
  agentId: string,
  { madeSessions, now }: IngestHow,
): Refused | null {
  const { sessions } = machineLimits
  if (set.sessions.madeBefore(sessionId) >= sessions) {
    return { ...refuse('SESSION_BLOCKED'), message: `A hub keeps ${sessions} sessions of one machine.` }
  }
  if (madeSessions.takes(agentId, now)) return null
  return { ...refuse('RATE_LIMITED'), message: 'The machine creates sessions too fast.' }
}

function refuse(code: ErrorCode, details?: Record<string, unknown>): Refused {
  return details ? { kind: 'refused', code, details } : { kind: 'refused', code }
}
