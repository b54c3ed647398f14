import { describe, expect, it } from 'vitest'
import { retryDelayMs } from './retry-delay'

describe('retryDelayMs', () => {
  it('[LINK-4] doubles up to ten seconds', () => {
    expect([0, 1, 2, 3, 4, 5, 50].map((attempt) => retryDelayMs(attempt, 0.999_999))).toEqual([
      500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000,
    ])
  })

  it('[LINK-4] spreads the pages of a hub that comes back over half of the time', () => {
    expect([0, 0.5].map((random) => retryDelayMs(4, random))).toEqual([4_000, 6_000])
  })
})
