/** The entries that wait for a commit, and how many of them go into one. */
import type { EventEnvelope } from '@roundhouse/backend-types'
import type { LogChange } from './statements'

export interface Pending {
  events: EventEnvelope[]
  bytes: number
  change: LogChange | undefined
  resolve(head: number): void
  reject(error: unknown): void
}

/** At least one entry, then as many as fit within the event limit. */
export function takeBatch<Entry extends { events: readonly unknown[] }>(
  pending: readonly Entry[],
  mostEvents: number,
): Entry[] {
  let events = 0
  const over = pending.findIndex((entry, index) => {
    events += entry.events.length
    return index > 0 && events > mostEvents
  })
  return over < 0 ? [...pending] : pending.slice(0, over)
}
