/** Small whole values for tests: say what matters, the rest has a default. */
import type {
  EventEnvelope,
  HostState,
  LiveFrame,
  PermissionAsk,
  SessionEvent,
  SessionReport,
  SessionView,
  Snapshot,
  StoredEvent,
} from '@roundhouse/backend-types'
import {
  emptyProjection,
  type ProjectionEffect,
  projectEvent,
  type SessionProjection,
  type StreamState,
} from '../index'

export function envelope(seq: number, over: Partial<EventEnvelope> = {}): EventEnvelope {
  const text = over.body ?? `{"kind":"system","subtype":"n${seq}","data":null}`
  return { seq, kind: 'system', v: 1, at: 1_000 + seq, hash: `hash of ${text}`, body: text, ...over }
}

export function envelopes(from: number, to: number): EventEnvelope[] {
  return Array.from({ length: to - from + 1 }, (_, index) => envelope(from + index))
}

export function stored(seq: number, over: Partial<StoredEvent> = {}): StoredEvent {
  return { ...envelope(seq), storedAt: 5_000, ...over }
}

export function stream(over: Partial<StreamState> = {}): StreamState {
  return { logId: 'log', committed: 0, malformed: 0, blocked: false, ...over }
}

export function report(over: Partial<SessionReport> = {}): SessionReport {
  return { sessionId: 's', logId: 'log', firstRetained: 1, last: 10, acked: 10, ackedEpoch: 'epoch', ...over }
}

export function ask(over: Partial<PermissionAsk> = {}): PermissionAsk {
  return {
    requestId: 'r',
    procId: 'p',
    callId: 'c',
    toolName: 'Write',
    input: {},
    digest: 'd',
    cwd: '/w',
    askedAt: 1,
    canEdit: false,
    canExplainDeny: false,
    filesPinned: true,
    redactedSpans: 0,
    ...over,
  }
}

export function hostState(over: Partial<HostState> = {}): HostState {
  return {
    sessionId: 's',
    leaseToken: 1,
    rev: 1,
    atSeq: 0,
    status: { status: 'idle' },
    queue: [],
    queueHeld: false,
    requests: [],
    openBlocks: [],
    ...over,
  }
}

export function frame(over: Partial<LiveFrame> = {}): LiveFrame {
  return {
    sessionId: 's',
    procId: 'p',
    blockId: 'b',
    kind: 'assistant_text',
    afterSeq: 1,
    offset: 0,
    text: '',
    ...over,
  }
}

/** The row after these events, numbered from 1. */
export function project(...events: SessionEvent[]): { projection: SessionProjection; effects: ProjectionEffect[] } {
  let projection = emptyProjection()
  const effects: ProjectionEffect[] = []
  for (const event of events) {
    const seq = projection.seq + 1
    const step = projectEvent(projection, event, seq, 1_000 + seq)
    projection = step.projection
    effects.push(...step.effects)
  }
  return { projection, effects }
}

/** Not a real digest: tests only need equal texts to be equal. */
export const fakeHash = (text: string): string => `hash of ${text}`

export function sessionView(over: Partial<SessionView> = {}): SessionView {
  return {
    sessionId: 's',
    rev: 1,
    agentId: 'a',
    agentName: 'A',
    agentOnline: true,
    title: '',
    archived: false,
    settings: { backend: 'scripted', workDir: '/w' },
    status: { status: 'idle' },
    head: 0,
    queue: [],
    queueHeld: false,
    requests: [],
    grants: [],
    commands: [],
    cost: 0,
    lastLine: '',
    createdAt: 0,
    updatedAt: 0,
    ...over,
  }
}

export function snapshot(head: number, over: Partial<Snapshot> = {}): Snapshot {
  return { hubEpoch: 'epoch', head, session: sessionView({ head }), openBlocks: [], events: [], more: false, ...over }
}
