import { describe, expect, it } from 'vitest'
import { stored } from '../testing/builders'
import { openCursor, receiveEvents, receiveHead, type ViewCursor } from './receive-events'

const at = (last: number): ViewCursor => openCursor('epoch', last)
const seqs = (events: readonly { seq: number }[]) => events.map(({ seq }) => seq)

describe('receiveEvents', () => {
  it('[VIEW-2.1] [VIEW-2.2] the next number is applied, a known one is ignored', () => {
    const step = receiveEvents(at(5), [stored(4), stored(5), stored(6), stored(7)])
    expect(step).toMatchObject({ cursor: { hubEpoch: 'epoch', last: 7, held: [] }, missing: null })
    expect(seqs(step.apply)).toEqual([6, 7])
  })

  it('[VIEW-2.3] what comes too early is held and the range before it is asked for', () => {
    const early = receiveEvents(at(5), [stored(9), stored(8)])
    expect(early).toMatchObject({ apply: [], missing: { after: 5, upTo: 7 } })
    expect(seqs(early.cursor.held)).toEqual([8, 9])
    const filled = receiveEvents(early.cursor, [stored(7), stored(6)])
    expect(seqs(filled.apply)).toEqual([6, 7, 8, 9])
    expect(filled).toMatchObject({ cursor: { last: 9, held: [] }, missing: null })
  })

  it('[VIEW-2.3] a range that came only in part is asked for again', () => {
    const early = receiveEvents(at(5), [stored(9)])
    expect(receiveEvents(early.cursor, [stored(6)]).missing).toEqual({ after: 6, upTo: 8 })
  })

  it('[LOG-2.3] a gap counts as its range', () => {
    const gap = stored(6, { kind: 'gap', to: 9 })
    const step = receiveEvents(at(5), [stored(10), gap, stored(8)])
    expect(seqs(step.apply)).toEqual([6, 10])
    expect(step.cursor.last).toBe(10)
  })

  it('[VIEW-6] in any order and with doubles the same events are applied once, in order', () => {
    const order = [3, 1, 5, 5, 2, 4, 1]
    let cursor = at(0)
    const applied: number[] = []
    for (const seq of order) {
      const step = receiveEvents(cursor, [stored(seq)])
      cursor = step.cursor
      applied.push(...seqs(step.apply))
    }
    expect(applied).toEqual([1, 2, 3, 4, 5])
  })

  it('[I9] no more than 500 events are held; the head brings the rest back', () => {
    const flood = Array.from({ length: 800 }, (_, index) => stored(index + 10))
    const { cursor, missing } = receiveEvents(at(5), flood)
    expect(cursor.held).toHaveLength(500)
    expect([cursor.held[0]?.seq, missing]).toEqual([10, { after: 5, upTo: 9 }])
  })
})

describe('receiveHead', () => {
  it('[VIEW-3] a head shows that the last message was lost', () => {
    expect(receiveHead(at(5), 8)).toEqual({ after: 5, upTo: 8 })
    expect([receiveHead(at(5), 5), receiveHead(at(5), 3)]).toEqual([null, null])
  })

  it('[VIEW-3] only what is missing before the held events is fetched', () => {
    const { cursor } = receiveEvents(at(5), [stored(7)])
    expect(receiveHead(cursor, 20)).toEqual({ after: 5, upTo: 6 })
  })
})
