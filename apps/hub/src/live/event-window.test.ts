import type { SeenEvent } from '@roundhouse/hub-client'
import { describe, expect, it } from 'vitest'
import {
  cut,
  emptyWindow,
  endOf,
  hasNewer,
  holds,
  isTooLong,
  openAt,
  windowLimit,
  withLive,
  withNewer,
  withOlder,
} from './event-window'

const event = (seq: number, to?: number): SeenEvent => ({
  seq,
  ...(to === undefined ? {} : { to }),
  at: 0,
  storedAt: 0,
  v: 1,
  kind: 'system',
  event: null,
})
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => event(from + n))
const seqs = ({ events }: { events: readonly SeenEvent[] }) => [events[0]?.seq, events.at(-1)?.seq, events.length]

describe('a window at the end of the log', () => {
  it('grows with what happens', () => {
    const window = withLive(openAt(range(11, 20), true, 20), range(21, 23), true)
    expect(seqs(window)).toEqual([11, 23, 13])
    expect(hasNewer(window)).toBe(false)
  })

  it('begins empty', () => {
    expect(seqs(withLive(emptyWindow, range(1, 2), true))).toEqual([1, 2, 2])
  })

  it('stays as it is when it is full and its reader is above: nothing moves under their eyes', () => {
    const before = openAt(range(1, windowLimit), false, windowLimit)
    const window = withLive(before, [event(windowLimit + 1)], false)
    expect(window.events).toBe(before.events)
    expect(hasNewer(window)).toBe(true)
  })
})

describe('[I9] a window that is too long', () => {
  const long = openAt(range(1, windowLimit + 1), false, windowLimit + 1)

  it('lets its oldest half go for a reader at the end, and knows that it was there', () => {
    const window = cut(long, 'newest')
    expect([isTooLong(long), isTooLong(window)]).toEqual([true, false])
    expect(seqs(window)).toEqual([windowLimit / 2 + 2, windowLimit + 1, windowLimit / 2])
    expect([window.older, hasNewer(window)]).toEqual([true, false])
  })

  it('lets its newest half go for a reader above, and knows that it was there', () => {
    const window = cut(long, 'oldest')
    expect(seqs(window)).toEqual([1, windowLimit / 2, windowLimit / 2])
    expect([window.older, hasNewer(window)]).toEqual([false, true])
  })
})

describe('a window somewhere above', () => {
  const above = openAt(range(101, 200), true, 900)

  it('knows that there is more on both sides, and holds what lies between', () => {
    expect([above.older, hasNewer(above)]).toEqual([true, true])
    expect([100, 101, 150, 200, 201].map((seq) => holds(above, seq))).toEqual([false, true, true, true, false])
  })

  it('[VIEW-2.1] takes no event that would leave a hole, only the news of it', () => {
    const window = withLive(above, [event(901)], false)
    expect(seqs(window)).toEqual([101, 200, 100])
    expect(window.head).toBe(901)
  })

  it('reaches the end page by page, however much happens meanwhile', () => {
    let window = withNewer(above, range(201, 900))
    expect(hasNewer(window)).toBe(false)
    window = withLive(withLive(above, range(901, 903), false), range(904, 905), false)
    window = withNewer(window, range(201, 903))
    expect(hasNewer(window)).toBe(true)
    window = withNewer(window, range(902, 905))
    expect(seqs(window)).toEqual([101, 905, 805])
    expect(hasNewer(window)).toBe(false)
  })

  it('takes older pages in front', () => {
    const window = withOlder(above, range(1, 100), false)
    expect(seqs(window)).toEqual([1, 200, 200])
    expect([window.older, hasNewer(window)]).toEqual([false, true])
  })

  it('[LOG-2.3] counts a gap as its range', () => {
    const window = openAt([event(1), event(2, 40)], false, 40)
    expect([endOf(window), hasNewer(window), holds(window, 30)]).toEqual([40, false, true])
  })
})
