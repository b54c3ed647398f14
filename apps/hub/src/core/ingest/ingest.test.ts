// Batches judged without a database: what was loaded goes in, a plain change comes out.
import type { SessionEvent } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import { envelope } from '../../testing/fake-agent'
import { ask, hostState, requested, resolved, text } from '../../testing/scenario'
import { RowLimit } from '../common/row-limit'
import { SessionBudget } from '../machines/machine-limits'
import type { Loaded } from '../ports/stream/stream-writer'
import { deciding } from '../stream/working-set'
import { type IngestHow, ingestBatch } from './ingest'
import { keysOfBatch, readBatch } from './read-batch'
import { newSessionRow } from './session-row'

const sender = { agentId: 'box', connEpoch: 2, clockOffsetMs: 0 }
const row = (committed: number) => ({
  ...newSessionRow({ sessionId: 's_1', agentId: 'box', now: 1 }),
  logId: committed > 0 ? 'log' : null,
  committed,
})
const stored = (seq: number) => envelope(text(`line ${seq}`), seq, 10)
const batchOf = (from: number, ...events: SessionEvent[]) =>
  readBatch({
    sessionId: 's_1',
    logId: 'log',
    events: events.map((event, index) => envelope(event, from + index, 10)),
  })
const how = (change: Partial<IngestHow> = {}): IngestHow => ({
  stopped: false,
  now: 100,
  unproven: new RowLimit(1),
  madeSessions: new SessionBudget(),
  account: null,
  ...change,
})
const none = { count: 0, bytes: 0 }

/** Of a session with so many events; `requests` of these ids are not there. */
function loaded(committed: number, requests: string[] = [], change: Partial<Loaded> = {}): Loaded {
  const seqs = Array.from({ length: committed }, (_, index) => index + 1)
  return {
    fences: new Map([['box', { row: { connEpoch: 2, state: 'active', name: 'box' } }]]),
    machines: new Map(),
    sessions: new Map([['s_1', committed > 0 ? { row: row(committed) } : { row: undefined, madeBefore: 0 }]]),
    hashes: new Map([['s_1', new Map(seqs.map((seq) => [seq, { row: stored(seq).hash }]))]]),
    commands: new Map(),
    given: new Map(),
    promptEdits: new Map(),
    unsettled: new Map(),
    requests: new Map(requests.map((requestId) => [requestId, { row: undefined }])),
    openRequests: new Map([['s_1', { ofMachine: none, ofSession: none }]]),
    headsGiven: null,
    standings: new Map(),
    ...change,
  }
}
const judged = (with_: Loaded, batch: ReturnType<typeof batchOf>, more?: Partial<IngestHow>) =>
  deciding((set) => ingestBatch(set, sender, batch, how(more)))(with_)
const opsOf = (decision: ReturnType<typeof judged>) =>
  'change' in decision ? decision.change.map(({ op }) => op) : decision

describe('a batch', () => {
  it('[ACK-3] is appended behind what is stored, and its session moves on', () => {
    const decision = judged(loaded(2), batchOf(2, text('line 2'), text('new')))
    expect(opsOf(decision)).toEqual(['events.append', 'session.update'])
    expect(decision).toMatchObject({
      answer: { kind: 'stored', acked: 3, head: 3, events: [{ seq: 3, storedAt: 100 }], created: false },
      change: [{ sessionId: 's_1', events: [{ event: { seq: 3 }, agentAt: 10 }] }, { change: { committed: 3 } }],
    })
  })

  it('makes the row of a session that is new', () => {
    expect(opsOf(judged(loaded(0), batchOf(1, text('first'))))).toEqual([
      'session.insert',
      'events.append',
      'session.update',
    ])
  })

  it('[ACK-4] that says something else of a stored number is refused, and changes nothing', () => {
    expect(judged(loaded(2), batchOf(2, text('another line 2')))).toEqual({
      change: [],
      answer: { kind: 'refused', code: 'SEQ_CONFLICT', details: { seq: 2, committed: 2 } },
    })
  })

  it('[LINK-3] of an older connection is refused, whatever is damaged of its session', () => {
    const sessions = new Map([['s_1', { row: undefined, damaged: true as const }]])
    const fences: Loaded['fences'] = new Map([['box', { row: { connEpoch: 3, state: 'active', name: 'box' } }]])
    expect(judged(loaded(2, [], { sessions, fences }), batchOf(3, text('late')))).toMatchObject({
      answer: { kind: 'refused', code: 'FENCED' },
    })
    expect(() => judged(loaded(2, [], { sessions }), batchOf(3, text('x')))).toThrow(
      expect.objectContaining({ code: 'STORAGE_DAMAGED' }),
    )
  })

  it('opens and closes a request in one go', () => {
    const decision = judged(loaded(1, ['r_1']), batchOf(2, requested('r_1'), resolved('r_1', 'withdrawn')))
    expect(opsOf(decision)).toEqual(['events.append', 'request.insert', 'request.close', 'session.update'])
  })

  it('[LINK-5] behind a gap of what was pruned opens what its host still lists, once it knows those requests', () => {
    const account = hostState('s_1', { atSeq: 9, requests: [ask('r_9')] })
    const gap = batchOf(2, { kind: 'gap', from: 2, to: 5, reason: 'pruned' })
    expect(judged(loaded(1), gap, { account })).toEqual({ more: { requests: ['r_9'] } })
    expect(opsOf(judged(loaded(1, ['r_9']), gap, { account }))).toEqual([
      'events.append',
      'requests.closeAllOpen',
      'session.update',
      'request.insert',
    ])
  })
})

describe('the keys of a batch', () => {
  it('are few where it holds text alone', () => {
    const { fences, sessions, hashes, ...rest } = keysOfBatch('box', batchOf(4, text('a'), text('b')), null)
    expect([fences, sessions, hashes]).toEqual([
      ['box'],
      [{ sessionId: 's_1', madeBy: 'box' }],
      [{ sessionId: 's_1', seqs: [4, 5] }],
    ])
    expect(Object.values(rest).flat()).toEqual([])
  })

  it('name the commands, prompts, requests and counts that its events tell of', () => {
    const said: SessionEvent = { kind: 'user_message', promptId: 'p', text: 'go', commandId: 'c_1' }
    const turn: SessionEvent = { kind: 'turn_completed', turnId: 't', reason: 'completed', commandId: 'c_2' }
    const rebase: SessionEvent = { kind: 'gap', from: 5, to: 5, reason: 'rebase' }
    const batch = batchOf(1, said, turn, requested('r_1'), resolved('r_2', 'withdrawn'), rebase)
    expect(keysOfBatch('box', batch, null)).toMatchObject({
      commands: ['c_1', 'c_2'],
      given: [{ commandId: 'c_1', kind: 'user_message' }],
      promptEdits: [{ sessionId: 's_1', promptId: 'p' }],
      requests: ['r_1', 'r_2'],
      openRequests: [{ agentId: 'box', sessionId: 's_1' }],
      unsettled: ['s_1'],
    })
  })

  it('are none but the session’s where an envelope makes no sense', () => {
    const bad = { ...envelope(text('x'), 1), to: 9 }
    const batch = readBatch({ sessionId: 's_1', logId: 'log', events: [stored(1), bad] })
    expect(batch.fault).toEqual({ seq: 1, message: 'only a gap stands for a range' })
    expect(keysOfBatch('box', batch, null)).toMatchObject({ fences: ['box'], commands: [], requests: [] })
  })
})
