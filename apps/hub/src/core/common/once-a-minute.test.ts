import { expect, it } from 'vitest'
import { OnceAMinute } from './once-a-minute'

it('a cause is news once a minute, another one is news by itself', () => {
  let now = 0
  const told = new OnceAMinute(() => now)
  expect([told.isNews('a'), told.isNews('a'), told.isNews('b')]).toEqual([true, false, true])
  now = 60_000
  expect([told.isNews('a'), told.isNews('a')]).toEqual([true, false])
  now = 0 // the clock was put back
  expect(told.isNews('a')).toBe(true)
})

it('no number of causes fills the memory, nor hides the next minute', () => {
  let now = 0
  const told = new OnceAMinute(() => now)
  const news = Array.from({ length: 5_000 }, (_, i) => told.isNews(`cause ${i}`)).filter(Boolean)
  expect(news.length).toBe(1_000)
  now = 60_000
  expect(told.isNews('another')).toBe(true)
})
