import { beforeEach, describe, expect, it, vi } from 'vitest'
import { AttemptLimit } from './attempt-limit'

describe('AttemptLimit', () => {
  it('[T76] takes so many in a window, says when there is room again, and counts on from there', () => {
    let now = 0
    const limit = new AttemptLimit(2, 60_000, () => now)
    limit.require('ana')
    now = 10_000
    limit.require('ana')
    now = 30_000
    expect(() => limit.require('ana')).toThrow(
      expect.objectContaining({ code: 'RATE_LIMITED', details: { retryAfterSeconds: 30 } }),
    )
    limit.require('ben')
    now = 60_000
    limit.require('ana')
    expect(() => limit.require('ana')).toThrow()
  })

  it('[T76] forgets what was given back, and no more', () => {
    const limit = new AttemptLimit(1, 60_000, () => 0)
    limit.giveBack('ana')
    limit.require('ana')
    limit.giveBack('ana')
    limit.require('ana')
    expect(() => limit.require('ana')).toThrow()
  })

  describe('where so many are counted that there is no room for another', () => {
    const WINDOW_MS = 60_000
    let now: number
    let limit: AttemptLimit
    beforeEach(() => {
      now = 0
      limit = new AttemptLimit(2, WINDOW_MS, () => now, Buffer.from('always the same'))
      limit.require('10.0.0.1')
      for (let i = 1; i < 10_000; i += 1) limit.require(`2001:db8:1:${i.toString(16)}::1`)
    })

    it('[T76] people who come from elsewhere are let in all the same', () => {
      const elsewhere = Array.from({ length: 100 }, (_, i) => `198.51.${i}.7`)
      for (let tries = 0; tries < 5; tries += 1) {
        expect(elsewhere.filter((address) => limit.takes(address))).toEqual(elsewhere)
        for (const address of elsewhere) limit.giveBack(address)
      }
      expect(limit.takes('ana@example.com')).toBe(true)
    })

    it('[T76] whoever filled it shares one counter with all the neighbours, and one chosen name counts by itself', () => {
      const more = Array.from({ length: 500 }, (_, i) => `2001:db8:1:${(20_000 + i).toString(16)}::1`)
      expect(more.filter((address) => limit.takes(address))).toHaveLength(2)
      expect(['198.51.100.1', '198.51.100.2', '198.51.100.3'].map((address) => limit.takes(address))).toEqual([
        true,
        true,
        false,
      ])
      expect([1, 2, 3].map(() => limit.takes('ana@example.com'))).toEqual([true, true, false])
    })

    it('[T76] nobody who was counted before is forgotten, however many come', () => {
      limit.require('10.0.0.1')
      for (let i = 0; i < 20_000; i += 1) limit.takes(`2001:db8:2:${i.toString(16)}::1`)
      expect(limit.takes('10.0.0.1')).toBe(false)
      now = WINDOW_MS
      expect(limit.takes('10.0.0.1')).toBe(true)
    })

    it('[T76] it has room again when the window has passed', () => {
      const neighbours = ['198.51.100.1', '198.51.100.2', '198.51.100.3']
      now = WINDOW_MS
      expect(neighbours.filter((address) => limit.takes(address))).toEqual(neighbours)
    })
  })
})

it('[F18] whoever was stopped waits no longer because the clock is set back', () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] })
  try {
    const limit = new AttemptLimit(1, 60_000)
    expect([limit.takes('10.0.0.1'), limit.takes('10.0.0.1')]).toEqual([true, false])
    vi.setSystemTime(Date.now() - 24 * 3_600_000)
    vi.advanceTimersByTime(60_001)
    expect(limit.takes('10.0.0.1')).toBe(true)
  } finally {
    vi.useRealTimers()
  }
})
