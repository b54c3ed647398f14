import { expect, it } from 'vitest'
import { machineLimits, SessionBudget } from './machine-limits'

const { sessionsAtOnce, sessionsPerMinute } = machineLimits

it('[BAD-4] a machine makes so many sessions at once, and so many a minute from then on; others are not touched', () => {
  const budget = new SessionBudget()
  const taken = (agentId: string, now: number) => {
    let count = 0
    while (budget.takes(agentId, now)) count += 1
    return count
  }
  expect(taken('a', 0)).toBe(sessionsAtOnce)
  expect(taken('a', 60_000)).toBe(sessionsPerMinute)
  expect(taken('a', 61_000)).toBe(sessionsPerMinute / 60)
  expect(taken('b', 61_000)).toBe(sessionsAtOnce)
  expect(taken('a', 0)).toBe(0) // the clock was put back
  expect(taken('a', 1_000_000_000)).toBe(sessionsAtOnce)
})
