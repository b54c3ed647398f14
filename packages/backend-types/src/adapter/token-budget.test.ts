import { describe, expect, it } from 'vitest'
import { tokenBudgetWarning } from './token-budget'

const reading = { used: 0, window: 200_000, maxOutputTokens: 32_000, warned: false }

describe('tokenBudgetWarning', () => {
  it('is silent below the threshold', () => {
    expect(tokenBudgetWarning({ ...reading, used: 142_799 })).toEqual({ warned: false })
  })

  it('warns at 85 % of the window less the answer, with the distance to the hard limit', () => {
    expect(tokenBudgetWarning({ ...reading, used: 142_800 })).toEqual({
      warned: true,
      warning: {
        used: 142_800,
        hardLimit: 168_000,
        threshold: 142_800,
        distanceToHard: 25_200,
        maxOutputTokens: 32_000,
      },
    })
  })

  it('warns once on the way up, and again after the usage fell', () => {
    const above = { ...reading, used: 150_000 }
    expect(tokenBudgetWarning({ ...above, warned: true })).toEqual({ warned: true })
    const fallen = tokenBudgetWarning({ ...reading, used: 20_000, warned: true })
    expect(fallen).toEqual({ warned: false })
    expect(tokenBudgetWarning({ ...above, warned: fallen.warned }).warning?.used).toBe(150_000)
  })

  it('a smaller answer leaves more room: the step down of the ladder ends the warning', () => {
    expect(tokenBudgetWarning({ ...reading, used: 150_000, maxOutputTokens: 8_000 })).toEqual({ warned: false })
  })

  it('tells a negative distance when the limit is already passed', () => {
    expect(tokenBudgetWarning({ ...reading, used: 170_000 }).warning?.distanceToHard).toBe(-2_000)
  })

  it('decides nothing when the window is unknown or smaller than the answer', () => {
    expect(tokenBudgetWarning({ ...reading, used: 5, window: 0 })).toEqual({ warned: false })
    expect(tokenBudgetWarning({ ...reading, used: 5, window: 0, warned: true })).toEqual({ warned: true })
    expect(tokenBudgetWarning({ ...reading, used: Number.NaN })).toEqual({ warned: false })
  })
})
