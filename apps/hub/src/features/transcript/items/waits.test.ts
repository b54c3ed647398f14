import { describe, expect, it } from 'vitest'
import { timeWithout } from './waits'

describe('timeWithout', () => {
  it('takes off what was waited, each moment once, and only within', () => {
    expect(timeWithout([], 0, 100)).toBe(100)
    const waits = [
      { from: 20, to: 50 },
      { from: 10, to: 30 },
      { from: 90, to: 200 },
    ]
    expect(timeWithout(waits, 0, 100)).toBe(50)
    expect(timeWithout([{ from: -10, to: 200 }], 0, 100)).toBe(0)
  })
})
