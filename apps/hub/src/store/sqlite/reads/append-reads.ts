/**
 * All that was stored, in the order of `Append`. A row stands for a range of one session, so that a batch costs one row and an
 * older database as many as it has sessions; a long range is read in several lots. A range without a wanted kind is not read.
 */
import { lastSeqOf, type StoredEvent } from '@roundhouse/backend-types'
import type { AppendCursor, AppendEntry, AppendLot, AppendStore } from '../../../core/ports/append-store'
import type { EventStore } from '../../../core/ports/event-store'
import type { EventsLimit } from '../../../core/ports/page-limits'
import type { AtOnce } from '../file/coded-reads'
import type { Connection } from '../file/connections'
import { readable } from '../rows/row-by-row'
import { eventColumns, type RawEvent, toEvent } from '../rows/rows'
import { isWholeEvent } from '../rows/whole-event'

const ROWS_AT_ONCE = 256

interface RawAppend {
  position: number
  kind: AppendEntry['kind']
  sessionPk: number
  /** Null: it is deleted. */
  sessionId: string | null
  fromSeq: number
  toSeq: number
  kinds: string | null
}

type Kinds = ReadonlySet<string> | null
interface Range {
  pk: number
  sessionId: string
  from: number
  to: number
}

export function createAppendReads(db: Connection, events: Pick<AtOnce<EventStore>, 'after'>): AtOnce<AppendStore> {
  const newest = db.prepare<[], number | null>('SELECT max(position) FROM Append').pluck()
  const cursor = db.prepare<[string], AppendCursor>('SELECT position, seq FROM Follower WHERE name = ?')
  const rows = db.prepare<[number, number], RawAppend>(
    `SELECT a.position, a.kind, a.sessionPk, coalesce(a.sessionId, s.sessionId) AS sessionId, a.fromSeq, a.toSeq, a.kinds
     FROM Append a LEFT JOIN Session s ON s.pk = a.sessionPk WHERE a.position >= ? ORDER BY a.position LIMIT ?`,
  )
  const readRange = createRangeRead(db, events)
  return {
    newest: () => newest.get() ?? 0,
    cursor: (follower) => cursor.get(follower) ?? { position: 0, seq: 0 },
    after: (from, limit, kinds) => {
      const lot: AppendLot = { entries: [], cursor: from, isEnd: false }
      const left = { numbers: limit.maxEvents, bytes: limit.maxBytes }
      const found = rows.all(from.position, ROWS_AT_ONCE)
      for (const row of found) {
        const entry = entryOf(row, lot, { left, kinds, readRange })
        if (entry) lot.entries.push(entry)
        if (left.numbers <= 0 || left.bytes <= 0) break
      }
      const last = found.at(-1)
      const isRead = last === undefined || (lot.cursor.position === last.position && lot.cursor.seq >= last.toSeq)
      lot.isEnd = isRead && found.length < ROWS_AT_ONCE
      return lot
    },
  }
}

interface How {
  left: { numbers: number; bytes: number }
  kinds: Kinds
  readRange: ReturnType<typeof createRangeRead>
}

/** Moves the cursor of the lot over what it read. */
function entryOf(row: RawAppend, lot: AppendLot, how: How): AppendEntry | null {
  const { position, kind, sessionPk: pk, sessionId, toSeq } = row
  const done = lot.cursor.position === position ? lot.cursor.seq : row.fromSeq - 1
  if (done >= toSeq && lot.cursor.position === position) return null
  if (kind !== 'events' || sessionId === null) {
    lot.cursor = { position, seq: toSeq }
    how.left.numbers -= 1
    if (sessionId === null || kind === 'events') return null
    return kind === 'erased' ? { kind, position, sessionId } : { kind, position, sessionId, seq: toSeq }
  }
  if (hasNone(row, how.kinds)) {
    lot.cursor = { position, seq: toSeq }
    how.left.numbers -= 1
    return null
  }
  const to = Math.min(toSeq, done + how.left.numbers)
  const limit = { maxEvents: to - done, maxBytes: how.left.bytes }
  const events = how.readRange({ pk, sessionId, from: done + 1, to }, limit, how.kinds)
  const bytes = events.reduce((sum, { body }) => sum + body.length, 0)
  const last = events.at(-1)
  const isCut = last !== undefined && bytes > limit.maxBytes
  const end = isCut ? lastSeqOf(last) : to
  how.left.numbers -= end - done
  how.left.bytes -= bytes
  lot.cursor = { position, seq: end }
  return events.length > 0 ? { kind, position, sessionId, events } : null
}

/** By the row, none of the range's events is of these kinds. */
const hasNone = ({ kinds: there }: RawAppend, wanted: Kinds): boolean =>
  wanted !== null && !!there && there.split(' ').every((kind) => !wanted.has(kind))

/** Ends behind the event with which it becomes longer than the limit. */
function createRangeRead(db: Connection, events: Pick<AtOnce<EventStore>, 'after'>) {
  const where = 'FROM Event WHERE sessionPk = ? AND seq >= ? AND seq <= ?'
  const every = db.prepare<[number, number, number], RawEvent>(`SELECT ${eventColumns} ${where} ORDER BY seq`)
  const some = db.prepare<[number, number, number, string], RawEvent>(
    `SELECT ${eventColumns} ${where} AND kind IN (SELECT value FROM json_each(?)) ORDER BY seq`,
  )
  return ({ pk, sessionId, from, to }: Range, limit: EventsLimit, kinds: Kinds): StoredEvent[] => {
    const read = () => (kinds ? some.iterate(pk, from, to, JSON.stringify([...kinds])) : every.iterate(pk, from, to))
    const whole = readable(() => wholeOf(read(), limit))
    if (whole) return whole
    const shown = events.after(sessionId, from - 1, limit)
    return shown.filter(({ seq, kind }) => seq <= to && (!kinds || kinds.has(kind)))
  }
}

/** Null where one of them is not whole. */
function wholeOf(rows: Iterable<RawEvent>, { maxBytes }: EventsLimit): StoredEvent[] | null {
  const events: StoredEvent[] = []
  let bytes = 0
  for (const row of rows) {
    if (!isWholeEvent(row)) return null
    events.push(toEvent(row))
    bytes += row.body.length
    if (bytes > maxBytes) break
  }
  return events
}
