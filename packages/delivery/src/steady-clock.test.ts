import { expect, it } from 'vitest'
import { steadyClock } from './steady-clock'

it('[LOG-10.11] [LOG-10.12] a wall clock that jumps ahead makes nothing old, and one that goes back makes everything younger', () => {
  let [wall, elapsed] = [1_000, 5.4]
  const clock = steadyClock(
    () => wall,
    () => elapsed,
  )
  ;[wall, elapsed] = [1_010, 15]
  expect([clock.now(), clock.ahead()]).toEqual([1_010, 0])
  wall += 86_400_000
  expect([clock.now(), clock.ahead()]).toEqual([1_010, 86_400_000])
  ;[wall, elapsed] = [900, 25]
  expect([clock.now(), clock.ahead()]).toEqual([900, 0])
})
