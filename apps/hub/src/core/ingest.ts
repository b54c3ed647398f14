/**
 * One batch of one session inside a group commit: fence, judge, store, project (LINK-3, ACK-2..4, STORE-2). It decides
 * first and writes afterwards, so that a refused batch has touched nothing.
 */
import {
  type ErrorCode,
  type EventBatch,
  type EventEnvelope,
  lastSeqOf,
  type SessionEvent,
  type StoredEvent,
} from '@roundhouse/backend-types'
import {
  acceptBatch,
  countMalformed,
  emptyProjection,
  isFenced,
  type ProjectionEffect,
  projectEvent,
  projectUnreadable,
  type SessionProjection,
} from '@roundhouse/delivery'
import { barredBy } from './barred'
import { auditEvents } from './ingest-audit'
import { applyEffects } from './ingest-effects'
import type { IngestTx, SessionRow } from './ports'
import { envelopeFault, type ReadEvent, readEvent } from './read-event'
import type { RowLimit } from './row-limit'
import { newSessionRow, streamChange } from './session-row'

/** Who sends, by which connection. */
export interface Sender {
  agentId: string
  connEpoch: number
  /** Agent clock minus hub clock (LOG-10). */
  clockOffsetMs: number
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
  /** Those of them that could be read. */
  known: Array<{ event: SessionEvent; seq: number }>
  effects: ProjectionEffect[]
  projection: SessionProjection
  unreadable: Array<{ seq: number; code: string; path: string }>
  created: boolean
}

export type Ingested = Stored | Refused

export interface IngestHow {
  stopped: boolean
  now: number
  /** Of deeds that no command bears out. */
  unproven: RowLimit
}

export function ingestBatch(tx: IngestTx, sender: Sender, batch: EventBatch, how: IngestHow): Ingested {
  const { stopped, now } = how
  const refusal = fence(tx, sender)
  if (refusal) return refusal
  const found = tx.session(batch.sessionId)
  if (!found && tx.isDeleted(batch.sessionId)) return refuse('SESSION_DELETED')
  if (found && found.agentId !== sender.agentId) return refuse('SESSION_NOT_YOURS')
  for (const event of batch.events) {
    const fault = envelopeFault(event)
    if (fault) return { ...refuse('MALFORMED_FRAME', { seq: event.seq }), message: fault }
  }
  const row = found ?? newSessionRow({ sessionId: batch.sessionId, agentId: sender.agentId, now })
  const decision = acceptBatch({ ...row, stopped }, batch.logId, batch.events, (seq) =>
    found ? tx.hashAt(found.pk, seq) : undefined,
  )
  if (decision.kind === 'refuse') {
    const { kind: _, code, ...details } = decision
    return refuse(code, details)
  }
  const { acked, committed, logId } = decision
  const empty = { kind: 'stored', acked, head: committed, events: [], known: [], effects: [], unreadable: [] } as const
  if (decision.events.length === 0) {
    return {
      ...empty,
      events: [],
      known: [],
      effects: [],
      unreadable: [],
      projection: projectionOf(row),
      created: false,
    }
  }
  const folded = fold(projectionOf(row), decision.events, sender, now)
  const stored = found ?? tx.insertSession(row)
  for (const [i, event] of folded.events.entries()) tx.appendEvent(stored.pk, event, decision.events[i]?.at ?? event.at)
  const { agentId } = sender
  auditEvents(tx, folded.known, { agentId, row: stored, limit: how.unproven, now })
  applyEffects(tx, { ...stored, clockOffsetMs: sender.clockOffsetMs }, folded.effects)
  tx.updateStream(stored.pk, streamChange(stored, folded.projection, { logId, committed, now }))
  return { kind: 'stored', acked, head: committed, ...folded, created: !found }
}

/** BAD-1: five bad frames or envelopes of a session block its stream. */
export function ingestMalformed(tx: IngestTx, sender: Sender, sessionId: string): { blocked: boolean } | Refused {
  const refusal = fence(tx, sender)
  if (refusal) return refusal
  const row = tx.session(sessionId)
  if (!row || row.agentId !== sender.agentId) return refuse('SESSION_NOT_YOURS')
  const { malformed, blocked } = countMalformed(row)
  tx.updateStream(row.pk, { ...row, malformed, blocked })
  return { blocked }
}

/** LINK-3: nothing is written for a connection that is not the newest, or an agent that may not write. */
export function fence(tx: IngestTx, sender: Pick<Sender, 'agentId' | 'connEpoch'>): Refused | null {
  const agent = tx.agent(sender.agentId)
  if (!agent) return refuse('AUTH_FAILED')
  const barred = barredBy[agent.state]
  if (barred) return refuse(barred)
  return isFenced(sender.connEpoch, agent.connEpoch) ? refuse('FENCED') : null
}

export function projectionOf(row: Pick<SessionRow, 'projection'>): SessionProjection {
  return row.projection === '' ? emptyProjection() : (JSON.parse(row.projection) as SessionProjection)
}

function fold(before: SessionProjection, envelopes: EventEnvelope[], sender: Sender, now: number) {
  let projection = before
  const events: StoredEvent[] = []
  const known: Stored['known'] = []
  const effects: ProjectionEffect[] = []
  const unreadable: Stored['unreadable'] = []
  for (const envelope of envelopes) {
    const at = timeToShow(envelope.at - sender.clockOffsetMs, projection.updatedAt, now)
    const read: ReadEvent = readEvent({ ...envelope, at }, now)
    events.push(read.stored)
    if (read.kind === 'known') {
      const projected = projectEvent(projection, read.event, envelope.seq, at)
      projection = projected.projection
      effects.push(...projected.effects)
      known.push({ event: read.event, seq: envelope.seq })
    } else {
      projection = projectUnreadable(projection, lastSeqOf(envelope), at)
      if (read.kind === 'tombstone') unreadable.push({ seq: envelope.seq, code: read.code, path: read.path })
    }
  }
  return { projection, events, known, effects, unreadable }
}

/** LOG-10: what is stored has happened, and nothing happened before what stands above it. */
function timeToShow(corrected: number, before: number, now: number): number {
  return Math.max(0, before, Math.round(Math.min(corrected, now)))
}

function refuse(code: ErrorCode, details?: Record<string, unknown>): Refused {
  return details ? { kind: 'refused', code, details } : { kind: 'refused', code }
}
