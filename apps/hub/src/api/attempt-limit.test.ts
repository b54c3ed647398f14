import { describe, expect, it } from 'vitest'
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
})
