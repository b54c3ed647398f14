/**
 * Judges what a peer with a token sends, message by message: its limits, its shape, whether it may publish there, and whether its
 * phase may follow. One that is not valid refuses no other. Pure but for the pace.
 */
import {
  CodedError,
  type ErrorCode,
  type Published,
  type PublishedMessage,
  TASK_ASSIGN,
  TaskAssignment,
  toCodedError,
} from '@roundhouse/backend-types'
import { checkMessage, type Exceeded, type PhaseMove, publishRefusal, readTopic } from '@roundhouse/bus'
import type { BusTask, BusVolume, NewBusRow, PeerRow } from '../../ports/bus-store'
import { addressed, rowOf, systemRow } from '../messages/bus-messages'
import { movePhase } from '../messages/phase-move'
import type { BusPace } from './bus-pace'
import { type BusRoom, fullBy, sizeOfRow } from './bus-room'

export interface Judging {
  peer: PeerRow
  pace: BusPace
  messageBytes: number
  room: BusRoom
  /** Before this batch. */
  volume: BusVolume
  /** The hub's clock. */
  now: number
  /** Milliseconds of a monotonic clock. */
  elapsed: number
  hasTask: (taskId: string) => boolean
  /** The person behind the publisher: what it assigns is theirs. */
  ownerId: string
  /** What the publisher is called where it calls itself so. Throws `NAME_NOT_ALLOWED`. */
  nameOf: (claim: string) => string
  /** A peer that the publisher's person sees. */
  isKin: (peerId: string) => boolean
  /** A peer that the publisher may command. */
  target: (peerId: string) => PeerRow | undefined
  /** Offsets of those that are there already. */
  known: ReadonlyMap<string, number>
}

/** What a batch becomes: results of those that are refused or known, and rows for the others. */
export interface Judged {
  results: (Published | null)[]
  /** For each null of the results, in order; then what the hub says of it. */
  rows: NewBusRow[]
  told: NewBusRow[]
  tasks: BusTask[]
  /** Programs that an orchestrator wants in a phase, whatever the table says. */
  forced: { peerId: string; phase: string }[]
  peer: PeerRow
  /** Behind the rows so far. */
  volume: BusVolume
}

class Refusal {
  constructor(
    readonly code: ErrorCode,
    readonly message: string,
    readonly details: Record<string, unknown> = {},
    /** What the bus hears of it. */
    readonly tells: 'malformed' | 'gate' | 'throttled' = 'malformed',
  ) {}
}

export const tooFast = (exceeded: Exceeded): CodedError =>
  new CodedError('RATE_LIMITED', 'You publish more than you may. Slow down.', { ...exceeded })

export function judgeBatch(messages: readonly unknown[], judging: Judging): Judged {
  const { peer, volume } = judging
  const judged: Judged = { results: [], rows: [], told: [], tasks: [], forced: [], peer, volume }
  for (const message of messages) {
    const one = judgeOne(message, judged, judging)
    if (one instanceof Refusal) {
      judged.results.push({ ok: false, error: new CodedError(one.code, one.message, one.details).toBody() })
      tell(one, topicOf(message), judged, judging)
    } else if (typeof one === 'number') {
      judged.results.push({ ok: true, offset: one, duplicate: true })
    } else {
      const { own, person, people, all } = judged.volume
      const { row, size } = one
      judged.volume = { own: own + size, person: person + size, people: people + size, all: all + size }
      judged.rows.push(row)
      judged.results.push(null)
    }
  }
  return judged
}

const topicOf = (message: unknown): string => {
  const { topic } = (message ?? {}) as { topic?: unknown }
  return typeof topic === 'string' ? topic.slice(0, 256) : ''
}

interface Sized {
  row: NewBusRow
  size: number
}

/** A number: where it is already. */
function judgeOne(message: unknown, judged: Judged, judging: Judging): Sized | number | Refusal {
  const { peer, pace, elapsed, messageBytes } = judging
  const exceeded = pace.take(peer.peerId, topicOf(message), elapsed)
  if (exceeded) return new Refusal('RATE_LIMITED', tooFast(exceeded).message, { ...exceeded }, 'throttled')
  const checked = checkMessage(message, { messageBytes })
  if (!checked.ok) return new Refusal(checked.code, checked.message, { path: checked.path })
  const { message: valid } = checked
  if (valid.from_peer !== undefined && valid.from_peer !== peer.peerId)
    return new Refusal('TOPIC_FORBIDDEN', 'from_peer is not you.', { path: 'from_peer' }, 'gate')
  const known = judging.known.get(valid.id)
  if (known !== undefined) return known
  const named = withName(valid, judging)
  if (named instanceof Refusal) return named
  const size = sizeOfRow(named)
  const row = judgeWords(named, size, judged, judging)
  return row instanceof Refusal ? row : { row, size }
}

function withName(message: PublishedMessage, { nameOf }: Judging): PublishedMessage | Refusal {
  if (message.from_name === undefined) return message
  try {
    return { ...message, from_name: nameOf(message.from_name) }
  } catch (thrown) {
    const { code, message: why } = toCodedError(thrown)
    return new Refusal(code, why, { path: 'from_name' })
  }
}

function judgeWords(message: PublishedMessage, size: number, judged: Judged, judging: Judging): NewBusRow | Refusal {
  const { peer: publisher, now, hasTask, target } = judging
  const { peerId, role: kind } = publisher
  const refusal = publishRefusal({ kind, peerId, hasTask }, message.topic)
  if (refusal) return new Refusal('TOPIC_FORBIDDEN', refusal, { path: 'topic' }, 'gate')
  const parts = readTopic(message.topic)
  const row = rowOf(message, judged.peer, now)
  const full = fullBy(judged.volume, judging.room, row.topic, size)
  if (full) return new Refusal('BUS_FULL', full, {}, 'gate')
  if (parts?.space === 'cmd') {
    const to = target(parts.peerId)
    if (!to) return new Refusal('TOPIC_FORBIDDEN', 'There is no such peer.', { path: 'topic' }, 'gate')
    // A session's host knows it by its command.
    if (message.schema === 'cmd-set-phase-v1' && to.kind !== 'session')
      judged.forced.push({ peerId: to.peerId, phase: String(message.data.phase) })
    return addressed(row, to)
  }
  if (parts?.space === 'task' && message.schema === TASK_ASSIGN) {
    const assigned = TaskAssignment.safeParse(message.data)
    if (kind !== 'orchestrator' || !assigned.success || !target(assigned.data.peer_id))
      return new Refusal('MESSAGE_INVALID', 'data.peer_id: a peer that you may command', { path: 'data.peer_id' })
    judged.tasks.push({ taskId: parts.taskId, peerId: assigned.data.peer_id, ownerId: judging.ownerId })
  }
  if (message.schema === 'worker-phase-v1') {
    const moved = movePhase(judged.peer, message.data as unknown as PhaseMove, now)
    if (!moved.ok) return new Refusal('PHASE_ILLEGAL', moved.reason, { path: 'data.phase' }, 'gate')
    judged.peer = moved.peer
  }
  judged.peer = noted(judged.peer, message, judging)
  return row
}

/** Who started it, as it says in its boot. */
const parentOf = ({ data, parent_id = null }: Pick<PublishedMessage, 'data' | 'parent_id'>): string | null =>
  typeof data.parent_peer_id === 'string' ? data.parent_peer_id : parent_id

/** What the hub remembers of a life. */
function noted(peer: PeerRow, message: PublishedMessage, { isKin }: Judging): PeerRow {
  const { facts } = peer
  const { schema, data } = message
  if (schema === 'worker-boot-v1') {
    const parentId = parentOf(message)
    return parentId !== null && isKin(parentId) ? { ...peer, facts: { ...facts, parentId } } : peer
  }
  if (schema === 'worker-complete-v1') return { ...peer, facts: { ...facts, completed: true } }
  if (schema !== 'worker-heartbeat-v1') return peer
  const tokens = typeof data.tokens_used === 'number' ? data.tokens_used : 0
  const cost = typeof data.cost_usd === 'number' ? data.cost_usd : 0
  return { ...peer, facts: { ...facts, heartbeat: data, tokens, cost } }
}

function tell(refusal: Refusal, topic: string, judged: Judged, { peer, now }: Judging): void {
  const { peerId } = peer
  const reason = `${refusal.code}: ${refusal.message}`
  if (refusal.tells === 'gate') {
    const tool = refusal.code === 'PHASE_ILLEGAL' ? 'phase' : 'publish'
    judged.told.push(systemRow('system-gate-fired-v1', { peerId, tool, reason }, peer, now))
  } else if (refusal.tells === 'malformed') {
    judged.told.push(systemRow('system-malformed-received-v1', { from: peerId, topic, error: reason }, peer, now))
  } else {
    const limit = Number(refusal.details.limit)
    const of = typeof refusal.details.topic === 'string' ? refusal.details.topic : null
    const before = judged.told.find(({ schema, data }) => schema === 'system-throttled-v1' && data.topic === of)
    if (before) before.data.dropped = Number(before.data.dropped) + 1
    else judged.told.push(systemRow('system-throttled-v1', { peerId, topic: of, limit, dropped: 1 }, peer, now))
  }
}

const isShortId = (id: unknown): id is string => typeof id === 'string' && id.length <= 64

/** The ids that a batch names, to look up which are known. */
export const idsOf = (messages: readonly unknown[]): string[] =>
  messages.flatMap((message) => {
    const { id } = (message ?? {}) as { id?: unknown }
    return isShortId(id) ? [id] : []
  })

/** It is on a task's topic, which the publisher may have lost. */
export const isOfTask = (message: unknown): boolean => topicOf(message).startsWith('task.')

/** The peers that a batch is for, or about. */
export const namedPeers = (messages: readonly unknown[]): string[] =>
  messages.flatMap((message) => {
    const topic = readTopic(topicOf(message))
    const { data, parent_id } = (message ?? {}) as { data?: Record<string, unknown> | null; parent_id?: unknown }
    const named = [data?.peer_id, data?.parent_peer_id, parent_id].filter(isShortId)
    return topic?.space === 'cmd' ? [topic.peerId, ...named] : named
  })
