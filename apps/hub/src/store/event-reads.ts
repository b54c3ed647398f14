/** Pages of a transcript by prepared statements: the same cost at the end of 100,000 events as of 5,000 (P5). */
import type { StoredEvent } from '@roundhouse/backend-types'
import type { EventsLimit, SessionReads } from '../core/ports'
import type { Connection } from './connections'
import { eventColumns, type RawEvent, toEvent } from './rows'

export const eventStatements = {
  after: `SELECT ${eventColumns} FROM Event WHERE sessionPk = ? AND seq > ? ORDER BY seq LIMIT ?`,
  before: `SELECT ${eventColumns} FROM Event WHERE sessionPk = ? AND seq < ? ORDER BY seq DESC LIMIT ?`,
  sizes: 'SELECT length(CAST(body AS BLOB)) AS bytes FROM Event WHERE sessionPk = ? AND seq > ? ORDER BY seq LIMIT ?',
} as const

export function createEventReads(db: Connection): Pick<SessionReads, 'eventsAfter' | 'eventsBefore' | 'measureAfter'> {
  const after = db.prepare<[number, number, number], RawEvent>(eventStatements.after)
  const before = db.prepare<[number, number, number], RawEvent>(eventStatements.before)
  const sizes = db.prepare<[number, number, number], { bytes: number }>(eventStatements.sizes)
  return {
    eventsAfter: (pk, from, limit) => takePage(after.iterate(pk, from, limit.maxEvents), limit),
    eventsBefore: (pk, until, limit) => takePage(before.iterate(pk, until, limit.maxEvents), limit).reverse(),
    measureAfter: (pk, from, limit) => {
      const total = { events: 0, bytes: 0 }
      for (const row of sizes.iterate(pk, from, limit.maxEvents + 1)) {
        total.events += 1
        total.bytes += row.bytes
        if (total.bytes > limit.maxBytes) break
      }
      return total
    },
  }
}

/** Leaving the loop closes the statement: a cursor that stayed open would keep the WAL from being reset. */
function takePage(rows: Iterable<RawEvent>, limit: EventsLimit): StoredEvent[] {
  const page: StoredEvent[] = []
  let bytes = 0
  for (const row of rows) {
    bytes += row.body.length
    if (page.length > 0 && bytes > limit.maxBytes) break
    page.push(toEvent(row))
  }
  return page
}
