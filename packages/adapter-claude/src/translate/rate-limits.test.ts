import { expect, it } from 'vitest'
import type { Frame } from '../wire/frames'
import { RateLimits } from './rate-limits'

const event = (info: Frame): Frame => ({ type: 'rate_limit_event', rate_limit_info: info })
const fiveHours = { rateLimitType: 'five_hour', resetsAt: 1_800_000_000 }

it('a limit is told when it is near and when it is reached, and again only when that changed', () => {
  const limits = new RateLimits()
  const told = (info: Frame) => {
    const output = limits.read(event(info))
    return output?.kind === 'system' ? output.data : undefined
  }
  expect(told({ ...fiveHours, status: 'allowed', utilization: 0.2 })).toBeUndefined()
  expect(told({ ...fiveHours, status: 'allowed_warning', utilization: 0.82 })).toEqual({
    status: 'warning',
    limit: '5 hours',
    usedPercent: 82,
    resetsAt: 1_800_000_000_000,
  })
  expect(told({ ...fiveHours, status: 'allowed_warning', utilization: 0.85 })).toBeUndefined()
  expect(told({ ...fiveHours, status: 'allowed_warning', utilization: 0.91 })).toMatchObject({ usedPercent: 91 })
  expect(told({ ...fiveHours, status: 'rejected' })).toMatchObject({ status: 'reached' })
  expect(told({ status: 'nonsense' })).toBeUndefined()
})
