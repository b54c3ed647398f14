/**
 * Pages of a transcript by prepared statements: the same cost at the end of 100,000 events as of 5,000. Each text is
 * compared with its hash. Where the file is damaged the rows are read one by one (`damaged-events.ts`).
 */
import type { StoredEvent } from '@roundhouse/backend-types'
import type { EventStore } from '../../../core/ports/event-store'
import type { EventsLimit } from '../../../core/ports/page-limits'
import type { AtOnce } from '../file/coded-reads'
import type { Connection } from '../file/connections'
import { eventColumns, pkOfSession, type RawEvent, toEvent } from '../rows/rows'
import { type EventsRead, isWholeEvent } from '../rows/whole-event'
import { createDamagedReads } from './damaged-events'

export const eventStatements = {
  after: `SELECT ${eventColumns} FROM Event WHERE sessionPk = ${pkOfSession} AND seq > ? ORDER BY seq LIMIT ?`,
  before: `SELECT ${eventColumns} FROM Event WHERE sessionPk = ${pkOfSession} AND seq < ? ORDER BY seq DESC LIMIT ?`,
  sizes: `SELECT length(CAST(body AS BLOB)) AS bytes FROM Event WHERE sessionPk = ${pkOfSession} AND seq > ? ORDER BY seq LIMIT ?`,
} as const

export function createEventReads(db: Connection): AtOnce<EventStore> {
  const after = db.prepare<[string, number, number], RawEvent>(eventStatements.after)
  const before = db.prepare<[string, number, number], RawEvent>(eventStatements.before)
  const sizes = db.prepare<[string, number, number], { bytes: number }>(eventStatements.sizes)
  const damaged = createDamagedReads(db)
  return {
    after: (sessionId, from, limit) => {
      const page = wholePage(() => after.iterate(sessionId, from, limit.maxEvents), limit)
      return page && damaged.isDenseAfter(sessionId, from, page) ? page.events : damaged.after(sessionId, from, limit)
    },
    before: (sessionId, until, limit) => {
      const page = wholePage(() => before.iterate(sessionId, until, limit.maxEvents), limit)
      page?.events.reverse()
      return page && damaged.isDenseBefore(sessionId, until, page)
        ? page.events
        : damaged.before(sessionId, until, limit)
    },
    measureAfter: (sessionId, from, limit) => {
      const total = { events: 0, bytes: 0 }
      try {
        for (const row of sizes.iterate(sessionId, from, limit.maxEvents + 1)) {
          total.events += 1
          total.bytes += row.bytes
          if (total.bytes > limit.maxBytes) break
        }
        return total
      } catch {
        return { events: limit.maxEvents + 1, bytes: 0 } // whoever asks takes a snapshot
      }
    },
  }
}

/** Null where anything of it is not whole. Leaving the loop closes the statement: a cursor that stayed open would keep the WAL from being reset. */
function wholePage(rows: () => Iterable<RawEvent>, limit: EventsLimit): EventsRead | null {
  const events: StoredEvent[] = []
  let bytes = 0
  let read = 0
  try {
    for (const row of rows()) {
      read += 1
      if (!isWholeEvent(row)) return null
      bytes += row.body.length
      if (events.length > 0 && bytes > limit.maxBytes) break
      events.push(toEvent(row))
    }
  } catch {
    return null
  }
  return { events, isEnd: read === events.length && read < limit.maxEvents }
}
