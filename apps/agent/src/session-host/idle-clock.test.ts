import { afterEach, expect, it, vi } from 'vitest'
import { IdleClock } from './idle-clock'

afterEach(() => void vi.useRealTimers())

it('[SES-6] a time longer than a timer takes is waited for as a whole, and rings few times on the way', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  const DAY = 24 * 3_600_000
  const asked = vi.fn(() => false)
  const rest = vi.fn()
  new IdleClock(30 * DAY, asked, rest)
  vi.advanceTimersByTime(29 * DAY)
  expect(rest).not.toHaveBeenCalled()
  expect(asked.mock.calls.length).toBeLessThan(3)
  vi.advanceTimersByTime(2 * DAY)
  expect(rest).toHaveBeenCalledOnce()
})
