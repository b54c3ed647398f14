/** Rows of the bus that cannot be read: each is logged once and counted, and its offset is missing for its readers. */
import type { BusStore } from '../../ports/bus-store'

interface Log {
  warn(facts: object, text: string): void
}

/** More are counted and not logged: a file with so many is damaged as a whole. */
const MOST_LOGGED = 1_000

export function withoutDamaged(after: BusStore['after'], log: Log): BusStore['after'] {
  const known = new Set<number>()
  return async (offset, limit) => {
    const lot = await after(offset, limit)
    for (const damaged of lot.damaged) {
      if (known.has(damaged) || known.size >= MOST_LOGGED) continue
      known.add(damaged)
      log.warn({ offset: damaged, damagedInAll: known.size }, 'a message of the bus is damaged and left out')
    }
    return lot
  }
}
