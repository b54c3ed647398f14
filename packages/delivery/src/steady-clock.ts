/**
 * LOG-10: what is old enough to go is judged by the lower of two clocks, the one on the wall, which may jump, and the one that
 * only counts. So a wall clock that jumps ahead makes nothing old.
 */
export interface SteadyClock {
  now(): number
  /** How far the wall clock has jumped ahead, in whole milliseconds. */
  ahead(): number
}

export function steadyClock(wall: () => number, elapsed: () => number = () => performance.now()): SteadyClock {
  const begun = wall() - elapsed()
  const ahead = () => Math.max(0, Math.trunc(wall() - elapsed() - begun))
  return { now: () => wall() - ahead(), ahead }
}
