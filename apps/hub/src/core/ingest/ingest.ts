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
  type SoFar,
  type StoredEvent,
} from '@roundhouse/backend-types'
import {
  acceptBatch,
  countMalformed,
  isFenced,
  type ProjectionEffect,
  projectEvent,
  projectUnreadable,
  type SessionProjection,
  withSoFar,
} from '@roundhouse/delivery'
import type { RowLimit } from '../common/row-limit'
import { timeToShow } from '../common/time-to-show'
import { barredBy } from '../machines/barred'
import { machineLimits, type SessionBudget } from '../machines/machine-limits'
import type { IngestTx } from '../ports/stores'
import { auditEvents } from './ingest-audit'
import { applyEffects } from './ingest-effects'
import { envelopeFault, type ReadEvent, readEvent, tombstone } from './read-event'
import { RequestRoom } from './request-room'
import { newSessionRow, streamChange } from './session-row'
import { projectionOf } from './stored-projection'

/** Who sends, by which connection. */
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
  madeSessions: SessionBudget
}

export function ingestBatch(tx: IngestTx, sender: Sender, batch: EventBatch, how: IngestHow): Ingested {
  const { stopped, now } = how
  const refusal = fence(tx, sender)
  if (refusal) return refusal
  const found = tx.sessions.find(batch.sessionId)
  if (!found && tx.sessions.isDeleted(batch.sessionId)) return refuse('SESSION_DELETED')
  if (found && found.agentId !== sender.agentId) return refuse('SESSION_NOT_YOURS')
  const tooMany = found ? null : refuseToMake(tx, sender.agentId, how)
  if (tooMany) return tooMany
  for (const event of batch.events) {
    const fault = envelopeFault(event)
    if (fault) return { ...refuse('MALFORMED_FRAME', { seq: event.seq }), message: fault }
  }
  const row = found ?? newSessionRow({ sessionId: batch.sessionId, agentId: sender.agentId, now })
  const decision = acceptBatch({ ...row, stopped }, batch.logId, batch.events, (seq) =>
    found ? tx.events.hashAt(found.pk, seq) : undefined,
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
  const before = projectionOf(row)
  const room = new RequestRoom(tx, { agentId: sender.agentId, pk: found?.pk })
  const folded = fold(before, decision.events, { sender, now, room, soFar: batch.soFar })
  const stored = found ?? tx.sessions.insert(row)
  tx.events.append(
    stored.pk,
    folded.events.map((event, i) => ({ event, agentAt: decision.events[i]?.at ?? event.at })),
  )
  const { agentId } = sender
  auditEvents(tx, folded.known, { agentId, row: stored, limit: how.unproven, now })
  const times = { clockOffsetMs: sender.clockOffsetMs, notBefore: before.updatedAt, floors: folded.floors, now }
  applyEffects(tx, { ...stored, ...times }, folded.effects)
  tx.sessions.update(stored.pk, streamChange(stored, folded.projection, { logId, committed, now }))
  const { floors: _, ...result } = folded
  return { kind: 'stored', acked, head: committed, ...result, created: !found }
}

/** BAD-1: five bad frames or envelopes of a session block its stream. */
export function ingestMalformed(tx: IngestTx, sender: Sender, sessionId: string): { blocked: boolean } | Refused {
  const refusal = fence(tx, sender)
  if (refusal) return refusal
  const row = tx.sessions.find(sessionId)
  if (!row || row.agentId !== sender.agentId) return refuse('SESSION_NOT_YOURS')
  const { malformed, blocked } = countMalformed(row)
  tx.sessions.update(row.pk, { ...row, malformed, blocked })
  return { blocked }
}

/** LINK-3: nothing is written for a connection that is not the newest, or an agent that may not write. */
export function fence(tx: IngestTx, sender: Pick<Sender, 'agentId' | 'connEpoch'>): Refused | null {
  const agent = tx.machines.fence(sender.agentId)
  if (!agent) return refuse('AUTH_FAILED')
  const barred = barredBy[agent.state]
  if (barred) return refuse(barred)
  return isFenced(sender.connEpoch, agent.connEpoch) ? refuse('FENCED') : null
}

/** SES-3: a session without a row is the machine's own. The rate passes, the number does not. */
function refuseToMake(tx: IngestTx, agentId: string, { madeSessions, now }: IngestHow): Refused | null {
  const { sessions } = machineLimits
  if (tx.sessions.countOfMachine(agentId) >= sessions) {
    return { ...refuse('SESSION_BLOCKED'), message: `A hub keeps ${sessions} sessions of one machine.` }
  }
  if (madeSessions.takes(agentId, now)) return null
  return { ...refuse('RATE_LIMITED'), message: 'The machine creates sessions too fast.' }
}

interface FoldHow {
  sender: Sender
  now: number
  room: RequestRoom
  soFar: SoFar | undefined
}

function fold(before: SessionProjection, envelopes: EventEnvelope[], { sender, now, room, soFar }: FoldHow) {
  let projection = soFar && !before.settings ? withSoFar(before, soFar) : before
  const events: StoredEvent[] = []
  const known: Stored['known'] = []
  const effects: ProjectionEffect[] = []
  const unreadable: Stored['unreadable'] = []
  const floors = new Map<number, number>()
  for (const envelope of envelopes) {
    const at = timeToShow(envelope.at - sender.clockOffsetMs, projection.updatedAt, now)
    const read = withRoom(readEvent({ ...envelope, at }, now), room)
    events.push(read.stored)
    if (read.kind === 'known') {
      if (read.event.kind === 'permission_requested') floors.set(envelope.seq, projection.updatedAt)
      const projected = projectEvent(projection, read.event, envelope.seq, at)
      projection = projected.projection
      if (soFar && isLoss(read.event)) projection = withSoFar(projection, soFar, before.seq)
      effects.push(...projected.effects)
      known.push({ event: read.event, seq: envelope.seq })
    } else {
      projection = projectUnreadable(projection, lastSeqOf(envelope), at)
      if (read.kind === 'tombstone') unreadable.push({ seq: envelope.seq, code: read.code, path: read.path })
    }
  }
  return { projection, events, known, effects, unreadable, floors }
}

/** REB-2: what was in it will never be told, but for what the machine says beside it. */
const isLoss = (event: SessionEvent): boolean => event.kind === 'gap' && event.reason !== 'rebase'

/** A question too many has no effect, but its number. */
function withRoom(read: ReadEvent, room: RequestRoom): ReadEvent {
  if (read.kind !== 'known' || read.event.kind !== 'permission_requested') return read
  return room.takes(read.stored.body.length) ? read : tombstone(read.stored, 'TOO_MANY_REQUESTS', '')
}

function refuse(code: ErrorCode, details?: Record<string, unknown>): Refused {
  return details ? { kind: 'refused', code, details } : { kind: 'refused', code }
}
