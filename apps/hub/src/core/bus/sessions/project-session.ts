/**
 * What a session's log says on the bus. A managed session is a worker without doing anything: its boot, its completion and its
 * last will are made from events that exist, and what its program published is checked like everybody's. Pure.
 */
import type { SessionEvent, SessionEventKind, SessionEventOf } from '@roundhouse/backend-types'
import {
  checkContent,
  MOST_USD,
  type PhaseMove,
  phasesCompleted,
  publishRefusal,
  type SchemaData,
} from '@roundhouse/bus'
import type { AskStep } from '../../ports/ask-store'
import type { NewBusRow, PeerRow } from '../../ports/bus-store'
import { rowOf, systemRow } from '../messages/bus-messages'
import { askStepOf } from '../messages/open-asks'
import { movePhase, phaseOf } from '../messages/phase-move'
import { type Changed, join, leave } from '../peers/peer-life'
import { factKinds, sessionFact } from './session-facts'

export interface SessionFacts {
  sessionId: string
  agentId: string
  title: string
  /** The session that started it. */
  parentId?: string | undefined
  hasTask: (taskId: string) => boolean
  /** What came of the run, if it is one that has ended. */
  outcome?: string | null
}

/** When an event happened, by the machine, and when the hub stored it. */
export interface Times {
  at: number
  storedAt: number
}

/** The number of the event makes the id, so that the same event never says it twice. */
export interface Numbered extends Times {
  seq: number
}

type Projected<K extends SessionEventKind> = (
  life: Life,
  event: SessionEventOf<K>,
  facts: SessionFacts,
  times: Numbered,
) => void

/** The peer of one session while its events are read, and what they said. */
export class Life {
  readonly rows: NewBusRow[] = []
  readonly asks: AskStep[] = []
  constructor(public peer: PeerRow | null) {}

  /** It speaks, so it lives. */
  begin({ sessionId, agentId, title }: SessionFacts, now: number, facts: PeerRow['facts'] = {}): PeerRow {
    if (this.peer && this.peer.state !== 'left') return this.peer
    const newcomer = { peerId: sessionId, kind: 'session', role: 'worker', name: title, agentId, userId: null } as const
    // What a session cost is the sum of its lives.
    const { cost, tokens } = this.peer?.facts ?? {}
    return this.take(join(newcomer, now, { ...(cost ? { cost } : {}), ...(tokens ? { tokens } : {}), ...facts }))
  }

  /** A program that was stopped while it was idle still waits for its answer: only a known end of it closes what it asked. */
  take({ peer, rows }: Changed): PeerRow {
    this.peer = peer
    this.rows.push(...rows)
    return peer
  }

  change(change: Partial<PeerRow>): void {
    if (this.peer) this.peer = { ...this.peer, ...change }
  }
}

interface Said {
  id: string
  topic: string
  schema: string
  data: Record<string, unknown>
}

/** No program may use it. */
const OF_HUB = 'hub-'
const derivedId = ({ seq }: Numbered, what: string) => `${OF_HUB}${what}-${seq}`

function say(life: Life, peer: PeerRow, said: Said, { at, storedAt }: Times): void {
  const ts_published = new Date(at).toISOString()
  const row = rowOf({ v: 1, ...said, ts_published }, peer, storedAt)
  life.rows.push(row)
  const step = askStepOf(row, peer.name)
  if (step) life.asks.push(step)
}

const table: Partial<{ [K in SessionEventKind]: Projected<K> }> = {
  session_created: (life, event, facts, { storedAt }) => {
    const { model = '' } = event.settings
    life.begin({ ...facts, title: event.title ?? facts.title }, storedAt, {
      model,
      mission: event.title ?? facts.title,
      cwd: event.realWorkDir,
      parentId: facts.parentId ?? event.continuedFrom ?? null,
    })
  },
  session_started: (life, event, facts, times) => {
    const { peer: known } = life
    const isNext = known?.facts.procId !== undefined && known.facts.procId !== event.procId
    // The program was stopped while nothing was to do: nobody wrote that, so it is told when the next one starts.
    if (known && known.state !== 'left' && isNext) life.take(leave(known, 'clean', times.storedAt))
    const { model = '', mission = facts.title, cwd = '', parentId = null } = known?.facts ?? {}
    const peer = life.begin(facts, times.storedAt, { model, mission, cwd, parentId })
    if (peer.facts.procId !== undefined) return
    life.change({ facts: { ...peer.facts, ...(event.procId ? { procId: event.procId } : {}) } })
    const data: SchemaData<'worker-boot-v1'> = {
      model,
      role: 'worker',
      mission_summary: mission.slice(0, 4_000),
      cwd,
      terminal_id: facts.sessionId,
      parent_peer_id: parentId,
      capabilities: [],
    }
    say(life, peer, ofHub(facts, times, 'boot', 'worker-boot-v1', data), times)
  },
  published: (life, event, facts, times) => published(life, event, facts, times),
  turn_completed: (life, { cost = 0, usage }) => {
    if (!life.peer) return
    const tokens = (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0)
    const { facts } = life.peer
    const sum = Math.min((facts.cost ?? 0) + cost, MOST_USD)
    life.change({ facts: { ...facts, cost: sum, tokens: (facts.tokens ?? 0) + tokens } })
  },
  process_exited: (life, event, facts, times) => {
    const peer = life.peer
    if (!peer || peer.state === 'left') return
    const clean = event.cause === 'killed'
    life.asks.push({ step: 'moved', peerId: peer.peerId, at: times.storedAt })
    if (!clean) lastWill(life, peer, facts, times, event.error?.message ?? 'The program ended unexpectedly.')
    life.take(leave(peer, clean ? 'clean' : 'crash', times.storedAt))
  },
  session_ended: (life, event, facts, times) => {
    const peer = life.peer
    if (!peer) return
    const failed = event.why === 'failed'
    life.asks.push({ step: 'moved', peerId: peer.peerId, at: times.storedAt })
    if (failed && peer.state !== 'left')
      lastWill(life, peer, facts, times, event.error?.message ?? 'The session failed.')
    // A life that ended with a last will is not complete as well.
    if (!failed && !peer.facts.completed && peer.reason !== 'crash') complete(life, peer, facts, times, event.why)
    if (peer.state !== 'left') life.take(leave(peer, failed ? 'crash' : 'clean', times.storedAt))
    life.change({ facts: { ...peer.facts, completed: true } })
  },
}

export const busKinds: ReadonlySet<SessionEventKind> = new Set([
  ...Object.keys(table),
  ...factKinds,
] as SessionEventKind[])

export function projectSession(life: Life, event: SessionEvent, facts: SessionFacts, times: Numbered): void {
  const project = table[event.kind] as Projected<SessionEventKind> | undefined
  project?.(life, event as SessionEventOf<SessionEventKind>, facts, times)
  const fact = sessionFact(event, facts, times)
  if (fact) life.rows.push(fact)
}

function ofHub(
  facts: SessionFacts,
  times: Numbered,
  name: string,
  schema: string,
  data: Record<string, unknown>,
): Said {
  const word = schema === 'worker-event-v1' ? 'event' : name
  return { id: derivedId(times, name), topic: `worker.${facts.sessionId}.${word}`, schema, data }
}

function lastWill(life: Life, peer: PeerRow, facts: SessionFacts, times: Numbered, message: string): void {
  const data = { kind: 'ERROR', severity: 'fatal', message: message.slice(0, 4_000) || 'The program ended.' }
  say(life, peer, ofHub(facts, times, 'last-will', 'worker-event-v1', data), times)
}

function complete(life: Life, peer: PeerRow, facts: SessionFacts, times: Numbered, result: string): void {
  const { tokens = 0, cost = 0 } = peer.facts
  const data = {
    result,
    summary: '',
    artifacts: [],
    phases_completed: phasesCompleted(peer.facts.phasesCompleted ?? [], phaseOf(peer)),
    total_tokens: tokens,
    total_cost_usd: cost,
    duration_ms: Math.max(0, times.storedAt - peer.joinedAt),
  }
  say(life, peer, ofHub(facts, times, 'complete', 'worker-complete-v1', data), times)
}

function published(life: Life, event: SessionEventOf<'published'>, facts: SessionFacts, times: Times): void {
  const peer = life.begin(facts, times.storedAt)
  const { id, topic, schema, data, correlationId, forced } = event
  const invalid = id.startsWith(OF_HUB)
    ? { code: 'MESSAGE_INVALID', message: 'id: this one is of the hub' }
    : checkContent({ topic, schema, data })
  if (invalid) {
    const error = `${invalid.code}: ${invalid.message}`.slice(0, 4_000)
    const told = { from: peer.peerId, topic, error }
    life.rows.push(systemRow('system-malformed-received-v1', told, peer, times.storedAt))
    return
  }
  const { peerId } = peer
  const refusal = publishRefusal({ kind: 'session', peerId, hasTask: facts.hasTask }, topic)
  if (refusal) {
    gate(life, peer, 'publish', refusal, times)
    return
  }
  if (schema === 'worker-phase-v1') {
    const moved = movePhase(peer, data as unknown as PhaseMove, times.storedAt, forced)
    if (!moved.ok) {
      gate(life, peer, 'phase', moved.reason, times)
      return
    }
    life.change(moved.peer)
  }
  if (schema === 'worker-complete-v1') life.change({ facts: { ...peer.facts, completed: true } })
  say(
    life,
    life.peer ?? peer,
    { id, topic, schema, data, ...(correlationId ? { correlation_id: correlationId } : {}) },
    times,
  )
}

function gate(life: Life, peer: PeerRow, tool: string, reason: string, { storedAt }: Times): void {
  life.rows.push(systemRow('system-gate-fired-v1', { peerId: peer.peerId, tool, reason }, peer, storedAt))
}
