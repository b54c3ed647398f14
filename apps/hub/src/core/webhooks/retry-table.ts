/** When a delivery that did not arrive is tried again (HOOK-3). Data, and one pure function. */

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
export const DAY_MS = 24 * HOUR

/** After the first attempt, the second, and so on. The last one repeats until the day is over. */
export const retryWaits: readonly number[] = [
  5 * SECOND,
  15 * SECOND,
  45 * SECOND,
  2 * MINUTE,
  5 * MINUTE,
  10 * MINUTE,
  20 * MINUTE,
  30 * MINUTE,
  HOUR,
]

/** A message is tried for so long after the hub stored it, and at least once. */
export const TRIED_FOR_MS = DAY_MS
/** A webhook to which nothing has arrived for so long is turned off when its next delivery fails for good. */
export const FAILING_DAYS_MS = 5 * DAY_MS
/** The largest share that is added to a wait, so that webhooks that failed together do not come back together. */
const JITTER = 0.2
/** A receiver may ask for so much, and not for more. */
const MOST_ASKED_MS = HOUR
/** No wait is longer, so a time beyond it was written by a clock that went back since. */
export const LONGEST_WAIT_MS = HOUR * (1 + JITTER)

/** `attempts`: so many have failed. `askedMs`: `Retry-After`, which may lengthen a wait and never shortens it. `chance`: 0 to 1. */
export function waitAfter(attempts: number, askedMs: number | null, chance: number): number {
  const inTable = retryWaits[Math.min(attempts, retryWaits.length) - 1] ?? 0
  const wait = Math.max(inTable, Math.min(askedMs ?? 0, MOST_ASKED_MS))
  return Math.round(wait * (1 + JITTER * chance))
}

export const isDue = (at: number | null, now: number): boolean => at === null || at <= now || at - now > LONGEST_WAIT_MS
