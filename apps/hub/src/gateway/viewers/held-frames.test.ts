import type { LiveFrame, SessionView, StoredEvent } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import { HeldFrames, type ReadFirst, type RoomFrame } from './held-frames'

const event = (seq: number, to?: number, body = '{}'): StoredEvent => ({
  seq,
  ...(to === undefined ? {} : { to }),
  kind: 'assistant_text',
  v: 1,
  at: 1,
  storedAt: 1,
  hash: '',
  body,
})
const events = (...seqs: number[]): RoomFrame => ({ event: 'events', events: seqs.map((seq) => event(seq)) })
const view = (rev: number): RoomFrame => ({ event: 'session', view: viewOf(rev) })
const viewOf = (rev: number) => ({ rev }) as SessionView
const frame = (blockId: string, offset: number, words: string, change: Partial<LiveFrame> = {}): LiveFrame => ({
  sessionId: 's',
  procId: 'p',
  blockId,
  kind: 'assistant_text',
  afterSeq: 0,
  offset,
  text: words,
  ...change,
})
const live = (...frames: LiveFrame[]): RoomFrame => ({ event: 'live', frames })

/** What a page hears, in short: numbers of events, `v` and the number of a view, blocks with where their text ends. */
const heard = (frames: readonly RoomFrame[]): string[] =>
  frames.flatMap((one) => {
    if (one.event === 'session') return [`v${one.view.rev}`]
    if (one.event === 'events') return one.events.map(({ seq, to }) => (to === undefined ? `${seq}` : `${seq}-${to}`))
    return one.frames.map(
      ({ blockId, offset, text, discarded }) => `${blockId}${discarded ? '-' : offset + text.length}`,
    )
  })

interface Row {
  held: RoomFrame[]
  read: Partial<ReadFirst>
  hears: string[]
}

const rows: Record<string, Row> = {
  'nothing but what was read, where nothing came': {
    held: [],
    read: { after: 2, events: [event(3), event(4)], view: viewOf(5), blocks: [frame('a', 0, 'text')] },
    hears: ['3', '4', 'v5', 'a4'],
  },
  'events behind those that were read, once': {
    held: [events(3, 4), events(5), events(6, 7)],
    read: { after: 2, events: [event(3), event(4), event(5)], view: viewOf(5) },
    hears: ['3', '4', '5', 'v5', '6', '7'],
  },
  'the rest of a batch of which some was read': {
    held: [events(3, 4, 5)],
    read: { after: 2, events: [event(3), event(4)] },
    hears: ['3', '4', '5'],
  },
  'no event that its cursor has, where nothing was read': {
    held: [events(3, 4)],
    read: { after: 3, events: [] },
    hears: ['4'],
  },
  'nothing of what a gap stands for that was read': {
    held: [events(4), { event: 'events', events: [event(5, 9)] }, events(10)],
    read: { after: 2, events: [event(3, 9)] },
    hears: ['3-9', '10'],
  },
  'no view that is older than the one that was read, or than one before it': {
    held: [view(4), view(7), view(6), view(8)],
    read: { after: 0, events: [], view: viewOf(5) },
    hears: ['v5', 'v7', 'v8'],
  },
  'a view that came, where none was read': { held: [view(4)], read: { after: 0, events: [] }, hears: ['v4'] },
  'events and views in their order': {
    held: [events(3), view(6), events(4), view(7)],
    read: { after: 2, events: [], view: viewOf(5) },
    hears: ['v5', '3', 'v6', '4', 'v7'],
  },
  'no live text that the open blocks have, and what goes beyond them': {
    held: [live(frame('a', 0, 'ab')), live(frame('a', 2, 'cd'), frame('b', 0, 'x'))],
    read: { after: 0, events: [], blocks: [frame('a', 0, 'abc'), frame('b', 0, 'x')] },
    hears: ['a3', 'b1', 'a4'],
  },
  'no live text of a block that is not open any more, but that it was taken back': {
    held: [live(frame('gone', 0, 'x')), live(frame('back', 0, '', { discarded: true }))],
    read: { after: 0, events: [], blocks: [] },
    hears: ['back-'],
  },
  'live text behind the events, whenever it came': {
    held: [live(frame('a', 0, 'ab')), events(3)],
    read: { after: 2, events: [], blocks: [frame('a', 0, 'a')] },
    hears: ['3', 'a1', 'a2'],
  },
}

describe('[VIEW-1.3] a page whose frames were held hears', () => {
  it.each(Object.entries(rows))('%s', (_name, { held, read, hears }) => {
    const frames = new HeldFrames({ frames: 10, bytes: 100_000 })
    for (const one of held) frames.take(one)
    const first = { after: 0, events: [], view: undefined, blocks: [], ...read }
    expect(heard(frames.release(first))).toEqual(hears)
  })
})

describe('[VIEW-4.2] frames that are held', () => {
  const limit = { frames: 3, bytes: 1_000 }

  it('are as many as a socket may have waiting', () => {
    const frames = new HeldFrames(limit)
    for (const seq of [1, 2, 3]) frames.take(events(seq))
    expect(frames.isOverfull).toBe(false)
    frames.take(events(4))
    expect(frames.isOverfull).toBe(true)
  })

  it('are as long as a socket may have waiting', () => {
    const frames = new HeldFrames(limit)
    frames.take({ event: 'events', events: [event(1, undefined, 'x'.repeat(900))] })
    expect(frames.isOverfull).toBe(true)
  })

  it('are not kept once they are too many', () => {
    const frames = new HeldFrames(limit)
    for (const seq of [1, 2, 3, 4, 5]) frames.take(events(seq))
    expect(frames.release({ after: 0, events: [], view: undefined, blocks: [] })).toEqual([])
  })
})
