import { describe, expect, it } from 'vitest'
import { fillHoles, gapEvent } from '../index'
import { envelope, envelopes, fakeHash, stream } from '../testing/builders'
import { acceptBatch, countMalformed, malformedLimit } from './accept-batch'

const held = new Map(envelopes(1, 20).map((event) => [event.seq, event.hash]))
const hashAt = (seq: number) => held.get(seq)
const pruned = (from: number, to: number) => gapEvent({ from, to }, 'pruned', 1, fakeHash)
const rebase = (at: number) => gapEvent({ from: at, to: at }, 'rebase', 1, fakeHash)

describe('acceptBatch', () => {
  it('[ACK-1.3] the next numbers are stored and acked as far as the batch reaches', () => {
    const events = envelopes(5, 7)
    expect(acceptBatch(stream({ committed: 4 }), 'log', events, hashAt)).toEqual({
      kind: 'store',
      events,
      duplicates: 0,
      committed: 7,
      acked: 7,
      logId: 'log',
    })
  })

  it('[ACK-3.1] the same event under a stored number is a duplicate; only what is new is stored', () => {
    const decision = acceptBatch(stream({ committed: 6 }), 'log', envelopes(5, 8), hashAt)
    expect(decision).toMatchObject({ kind: 'store', events: envelopes(7, 8), duplicates: 2, acked: 8 })
  })

  it('[ACK-1.3] a batch of duplicates is acked up to its own end, not up to all that the hub has', () => {
    const decision = acceptBatch(stream({ committed: 20 }), 'log', envelopes(5, 8), hashAt)
    expect(decision).toMatchObject({ kind: 'store', events: [], duplicates: 4, committed: 20, acked: 8 })
  })

  it('[ACK-3.2] [ACK-3.4] another event under a stored number stops the stream and names the number', () => {
    const events = [envelope(5), envelope(6, { body: 'other' })]
    expect(acceptBatch(stream({ committed: 8 }), 'log', events, hashAt)).toEqual({
      kind: 'refuse',
      code: 'SEQ_CONFLICT',
      seq: 6,
      committed: 8,
    })
  })

  it('[ACK-4.1] a batch that skips ahead is refused whole and told what is expected', () => {
    const refusal = { kind: 'refuse', code: 'SEQ_GAP', expected: 5 }
    expect(acceptBatch(stream({ committed: 4 }), 'log', envelopes(6, 7), hashAt)).toEqual(refusal)
  })

  it('[ACK-4.1] a hole inside a batch is refused, and nothing before the hole is stored', () => {
    const events = [envelope(5), envelope(7)]
    expect(acceptBatch(stream({ committed: 4 }), 'log', events, hashAt)).toEqual({
      kind: 'refuse',
      code: 'SEQ_GAP',
      expected: 6,
    })
  })

  it('[LOG-2.3] a gap stands for its whole range: the next number is the one after its end', () => {
    const events = [pruned(5, 9), envelope(10)]
    expect(acceptBatch(stream({ committed: 4 }), 'log', events, hashAt)).toMatchObject({ committed: 10, acked: 10 })
  })

  it('[REB-2] what the agent pruned contradicts nothing that is stored', () => {
    const events = [pruned(5, 8), envelope(9)]
    expect(acceptBatch(stream({ committed: 12 }), 'log', events, hashAt)).toMatchObject({ duplicates: 2, acked: 9 })
  })

  it('[REB-2] a pruned range that reaches beyond what is stored must begin where the hub ends', () => {
    expect(acceptBatch(stream({ committed: 6 }), 'log', [pruned(5, 8)], hashAt)).toEqual({
      kind: 'refuse',
      code: 'SEQ_GAP',
      expected: 7,
    })
  })

  it('[REB-1] an event under a number that a stored gap covers is no duplicate: nobody knows what was there', () => {
    const inGap = (seq: number) => (seq > 4 && seq < 9 ? undefined : hashAt(seq))
    const refusal = { code: 'SEQ_CONFLICT', seq: 6 }
    expect(acceptBatch(stream({ committed: 9 }), 'log', envelopes(6, 9), inGap)).toMatchObject(refusal)
  })

  it('[REB-1] another log may only go on with the gap of a rebase', () => {
    const known = stream({ logId: 'old log', committed: 4 })
    const refusal = { kind: 'refuse', code: 'SEQ_CONFLICT', seq: 5, committed: 4 }
    expect(acceptBatch(known, 'new log', envelopes(5, 5), hashAt)).toEqual(refusal)
    expect(acceptBatch(known, 'new log', [pruned(5, 6)], hashAt)).toEqual(refusal)
    const decision = acceptBatch(known, 'new log', [rebase(5), envelope(6)], hashAt)
    expect(decision).toMatchObject({ kind: 'store', acked: 6, logId: 'new log' })
  })

  it('[REB-1.3] duplicates from another log leave the stream with the log that it has', () => {
    const known = stream({ logId: 'old log', committed: 4 })
    expect(acceptBatch(known, 'new log', envelopes(1, 3), hashAt)).toMatchObject({ duplicates: 3, logId: 'old log' })
  })

  it('[ACK-3.4] a stopped stream takes duplicates and the gap of a rebase, nothing else', () => {
    const stopped = stream({ committed: 4, stopped: true })
    expect(acceptBatch(stopped, 'log', envelopes(3, 4), hashAt)).toMatchObject({ kind: 'store', duplicates: 2 })
    expect(acceptBatch(stopped, 'log', envelopes(5, 6), hashAt)).toMatchObject({ code: 'SEQ_CONFLICT', seq: 5 })
    expect(acceptBatch(stopped, 'log', [rebase(5)], hashAt)).toMatchObject({ kind: 'store', acked: 5 })
  })

  it('a hole that is filled at the agent fits what the hub asked for', () => {
    const events = fillHoles(4, 20, [envelope(8), envelope(9)], pruned)
    expect(acceptBatch(stream({ committed: 4 }), 'log', events, hashAt)).toMatchObject({ kind: 'store', acked: 9 })
  })

  it('[BAD-1.2] after five malformed frames the stream is blocked and takes nothing', () => {
    let state = stream({ committed: 4 })
    for (let count = 1; count < malformedLimit; count += 1) state = countMalformed(state)
    expect(state).toMatchObject({ malformed: 4, blocked: false })
    state = countMalformed(state)
    expect(state.blocked).toBe(true)
    expect(acceptBatch(state, 'log', envelopes(5, 6), hashAt)).toEqual({ kind: 'refuse', code: 'SESSION_BLOCKED' })
  })
})
