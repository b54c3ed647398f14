import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Deadlines } from './deadlines'

/** By the clock of the machine, which somebody may set. */
let now: number
/** By one that nobody sets. */
let elapsed: number
let rings: number
let deadlines: Deadlines

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  now = 1_000
  elapsed = 50
  rings = 0
  deadlines = new Deadlines(
    () => now,
    () => rings++,
    30_000,
    () => elapsed,
  )
})
afterEach(() => {
  deadlines.dispose()
  vi.useRealTimers()
})

const set = (...moments: number[]) => deadlines.set(moments.map((at) => ({ id: `${at}`, at })))
const after = (ms: number) => {
  now += ms
  elapsed += ms
  vi.advanceTimersByTime(ms)
  return rings
}

it('rings once, at the first of its deadlines', () => {
  set(9_000, 5_000)
  expect([after(3_999), after(1), after(60_000)]).toEqual([0, 1, 1])
})

it('rings at once where the deadline is past', () => {
  set(1)
  expect(after(0)).toBe(1)
})

it('rings before a deadline that is far away, so that a clock which jumped is noticed', () => {
  set(3_600_000)
  expect([after(29_999), after(1)]).toEqual([0, 1])
})

it('knows only what it was set to last, and is silent without a deadline', () => {
  set(2_000)
  set()
  expect(after(60_000)).toBe(0)
})

it('one is over when the clock says so, however little time went by', () => {
  set(5_000)
  expect(deadlines.isOver('5000')).toBe(false)
  now = 5_000
  expect([deadlines.isOver('5000'), deadlines.isOver('unknown')]).toEqual([true, false])
})

it('one is over when its time went by, also where the clock was set back, and rings then', () => {
  set(5_000)
  now -= 7_200_000
  expect(after(3_999)).toBe(0)
  set(5_000)
  expect([after(1), deadlines.isOver('5000')]).toEqual([1, true])
})

it('is never further away than its most', () => {
  deadlines.set([{ id: 'a', at: 90_000, atMostMs: 2_000 }])
  expect([after(1_999), deadlines.isOver('a'), after(1), deadlines.isOver('a')]).toEqual([0, false, 1, true])
})
