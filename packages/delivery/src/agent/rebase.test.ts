import { describe, expect, it } from 'vitest'
import { gapEvent, gapReasonOf } from '../events/gap-event'
import { envelope, envelopes, fakeHash } from '../testing/builders'
import { fillHoles } from './fill-holes'
import { moveEvent, planRebase, rebaseEvents } from './plan-rebase'

const pruned = (from: number, to: number) => gapEvent({ from, to }, 'pruned', 7, fakeHash)

describe('rebaseEvents', () => {
  it('[REB-1.4] a gap takes the number after what the hub holds, the rest follows behind it', () => {
    const order = { to: 50, held: 45 }
    expect(planRebase(envelopes(46, 48), order)).toEqual({ gap: { from: 51, to: 51 }, moveBy: 6 })
    expect(rebaseEvents(envelopes(46, 48), order, 7, fakeHash)).toEqual([
      gapEvent({ from: 51, to: 51 }, 'rebase', 7, fakeHash),
      ...envelopes(46, 48).map((event) => ({ ...event, seq: event.seq + 6 })),
    ])
  })

  it('[REB-1] an order that was carried out before changes nothing', () => {
    const order = { to: 50, held: 45 }
    const done = rebaseEvents(envelopes(46, 48), order, 7, fakeHash)
    expect(rebaseEvents(done, order, 8, fakeHash)).toEqual(done)
  })

  it('[REB-1.4] a log that has nothing more leaves the gap alone', () => {
    const events = rebaseEvents([], { to: 3, held: 2 }, 7, fakeHash)
    expect(events.map(({ seq, to, kind }) => ({ seq, to, kind }))).toEqual([{ seq: 4, to: 4, kind: 'gap' }])
  })

  it('[LOG-9.3] moving keeps body and hash, except of a gap, whose body names its range', () => {
    expect(moveEvent(envelope(5), 4, fakeHash)).toEqual({ ...envelope(5), seq: 9 })
    expect(moveEvent(pruned(5, 8), 4, fakeHash)).toEqual(pruned(9, 12))
  })

  it('[REB-2] moving down works alike', () => {
    const events = rebaseEvents(envelopes(51, 52), { to: 30, held: 30 }, 7, fakeHash)
    expect(events.map(({ seq }) => seq)).toEqual([31, 32, 33])
  })
})

describe('fillHoles', () => {
  it('[REB-2.1] what was pruned is sent as one gap before the first event that is left', () => {
    expect(fillHoles(10, 99, [envelope(20), envelope(21)], pruned)).toEqual([
      pruned(11, 19),
      envelope(20),
      envelope(21),
    ])
  })

  it('[REB-2] a hole in the middle is filled too, and a stored gap is none', () => {
    const rows = [envelope(1), pruned(2, 4), envelope(5), envelope(8)]
    expect(fillHoles(0, 99, rows, pruned)).toEqual([...rows.slice(0, 3), pruned(6, 7), envelope(8)])
  })

  it('[REB-2.1] where nothing is left up to the end, the gap fits exactly', () => {
    expect(fillHoles(10, 15, [], pruned)).toEqual([pruned(11, 15)])
    expect(fillHoles(15, 15, [], pruned)).toEqual([])
  })
})

describe('gapReasonOf', () => {
  it('reads gaps and nothing else', () => {
    expect([
      gapReasonOf(pruned(1, 2)),
      gapReasonOf(envelope(1)),
      gapReasonOf(envelope(1, { kind: 'gap', body: '{' })),
    ]).toEqual(['pruned', null, null])
  })
})
