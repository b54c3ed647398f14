import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Alarm } from './alarm'

let now: number
let rings: number
let alarm: Alarm

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  now = 1_000
  rings = 0
  alarm = new Alarm(
    () => now,
    () => rings++,
    30_000,
  )
})
afterEach(() => {
  alarm.dispose()
  vi.useRealTimers()
})

const after = (ms: number) => {
  vi.advanceTimersByTime(ms)
  return rings
}

it('rings once, at the first of its moments', () => {
  alarm.set([9_000, 5_000])
  expect([after(3_999), after(1), after(60_000)]).toEqual([0, 1, 1])
})

it('rings at once where the moment is past', () => {
  alarm.set([1])
  expect(after(0)).toBe(1)
})

it('rings before a moment that is far away, so that a clock which jumped is noticed', () => {
  alarm.set([3_600_000])
  expect([after(29_999), after(1)]).toEqual([0, 1])
})

it('knows only what it was set to last, and is silent without a moment', () => {
  alarm.set([2_000])
  alarm.set([])
  expect(after(60_000)).toBe(0)
})
