/** How often one chat is written to, and how long a failure rests. */
import { setTimeout as delay } from 'node:timers/promises'

/** A short crowd at once, then one message a second: what chat services take from a bot. */
export const messagesPace = { burst: 8, perSecond: 1 } as const
/** An answer that grows is edited at most this often. */
export const EDIT_MS = 1_000

const FIRST_REST_MS = 500
const LONGEST_REST_MS = 30_000

/** Grows with each failure. */
export const restMs = (failures: number): number =>
  Math.min(LONGEST_REST_MS, FIRST_REST_MS * 2 ** Math.min(failures, 10))

export type Wait = (ms: number, signal: AbortSignal) => Promise<void>

/** Ends early when the signal does. */
export const wait: Wait = async (ms, signal) => {
  await delay(ms, undefined, { signal, ref: false }).catch(() => {})
}
