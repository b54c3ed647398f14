import { describe, expect, it } from 'vitest'
import { agoWords, timeLeft } from './time'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

describe('distances in time as words', () => {
  it.each([
    [1_000, 'just now'],
    [46_000, '46 s ago'],
    [3 * day, '3 d ago'],
  ])('%d ms before now is %s', (distance, text) => {
    expect(agoWords(10 * day - distance, 10 * day)).toBe(text)
  })

  it.each([
    [3 * day - 7_000, '3 d left'],
    [30 * day - hour, '30 d left'],
    [47 * hour, '47 h left'],
    [90 * minute, '2 h left'],
    [14.6 * minute, '15 min left'],
    [0, '1 min left'],
  ])('%d ms are %s', (ms, text) => {
    expect(timeLeft(ms)).toBe(text)
  })
})
