/**
 * A transcript whose rows or pages are damaged, in the numbers that it has: a row that can be found and is not whole becomes
 * a tombstone (`DAMAGED`), what cannot be read at all becomes a gap (`corrupt`). So nobody waits for what never comes, and
 * nothing that is wrong is shown as said.
 */
import { type HubOnlyEvent, lastSeqOf, type SessionEventOf, type StoredEvent } from '@roundhouse/backend-types'
import type { EventsLimit } from '../../../core/ports/page-limits'
import type { Connection } from '../file/connections'
import { readable } from '../rows/row-by-row'
import { eventColumns, pkOfSession, type RawEvent, toEvent } from '../rows/rows'
import { type EventsRead, isWholeEvent } from '../rows/whole-event'

const NO_HASH = '0'.repeat(64)

const damagedStatements = {
  numbersAfter: `SELECT seq FROM Event WHERE sessionPk = ${pkOfSession} AND seq > ? ORDER BY seq LIMIT ?`,
  numbersBefore: `SELECT seq FROM Event WHERE sessionPk = ${pkOfSession} AND seq < ? ORDER BY seq DESC LIMIT ?`,
} as const

export function createDamagedReads(db: Connection) {
  // By the index alone: the pages of the table are not looked at.
  const numbersAfter = db.prepare<[string, number, number], number>(damagedStatements.numbersAfter).pluck()
  const numbersBefore = db.prepare<[string, number, number], number>(damagedStatements.numbersBefore).pluck()
  const one = db.prepare<[string, number], RawEvent>(
    `SELECT ${eventColumns} FROM Event WHERE sessionPk = ${pkOfSession} AND seq = ?`,
  )
  const committed = db.prepare<[string], number>('SELECT committed FROM Session WHERE sessionId = ?').pluck()

  const headOf = (sessionId: string, atLeast: number) => {
    const head = readable(() => committed.get(sessionId))
    return Number.isSafeInteger(head) ? Math.max(Number(head), atLeast) : atLeast
  }

  /** Null where there is nothing to show of it but that it was there. */
  function event(sessionId: string, seq: number): StoredEvent | null {
    const row = readable(() => one.get(sessionId, seq))
    if (!row) return null
    if (isWholeEvent(row)) return toEvent(row)
    return row.kind === 'gap' || row.toSeq !== null ? null : tombstoneOf(row, seq)
  }

  /** Where the last event before this number ends. */
  const endBefore = (sessionId: string, seq: number): number => {
    const [number] = readable(() => numbersBefore.all(sessionId, seq, 1)) ?? []
    return number === undefined ? 0 : lastSeqOf(event(sessionId, number) ?? { seq: number })
  }

  return {
    /** Where the last event ends; `told` where that cannot be read. */
    headOfEvents: (sessionId: string, told: number): number => {
      const [number] = readable(() => numbersBefore.all(sessionId, Number.MAX_SAFE_INTEGER, 1)) ?? [told]
      if (number === told) return told
      const last = number === undefined ? { seq: 0 } : event(sessionId, number)
      return last && lastSeqOf(last) > 0 ? lastSeqOf(last) : (number ?? 0)
    },
    isDenseAfter: (sessionId: string, from: number, { events, isEnd }: EventsRead): boolean => {
      const [first] = events
      if (!isDense(events)) return false
      const begins = first === undefined || first.seq === from + 1 || endBefore(sessionId, first.seq) === first.seq - 1
      return begins && (!isEnd || Math.max(lastOf(events, 0), from) >= headOf(sessionId, 0))
    },
    isDenseBefore: (sessionId: string, until: number, { events, isEnd }: EventsRead): boolean => {
      const begins = !isEnd || (events[0]?.seq ?? Math.min(until, headOf(sessionId, 0) + 1)) <= 1
      return isDense(events) && begins && lastOf(events, 0) >= Math.min(until - 1, headOf(sessionId, 0))
    },
    after: (sessionId: string, from: number, limit: EventsLimit): StoredEvent[] => {
      const numbers = readable(() => numbersAfter.all(sessionId, from, limit.maxEvents)) ?? []
      const found = numbers.flatMap((seq) => event(sessionId, seq) ?? [])
      const begin = Math.max(
        from,
        numbers[0] === undefined ? from : Math.min(endBefore(sessionId, numbers[0]), numbers[0] - 1),
      )
      const isEnd = numbers.length < limit.maxEvents
      const end = isEnd ? headOf(sessionId, numbers.at(-1) ?? from) : (numbers.at(-1) ?? from)
      return within(limit, filled(found, begin, end))
    },
    before: (sessionId: string, until: number, limit: EventsLimit): StoredEvent[] => {
      const numbers = (readable(() => numbersBefore.all(sessionId, until, limit.maxEvents)) ?? []).reverse()
      const found = numbers.flatMap((seq) => event(sessionId, seq) ?? [])
      const isEnd = numbers.length < limit.maxEvents
      const begin = isEnd ? 0 : (numbers[0] ?? 1) - 1
      const end = Math.min(until - 1, headOf(sessionId, lastOf(found, numbers.at(-1) ?? 0)))
      return within(limit, filled(found, begin, end).reverse()).reverse()
    },
  }
}

const lastOf = (events: readonly StoredEvent[], none: number) => {
  const last = events.at(-1)
  return last ? lastSeqOf(last) : none
}

function isDense(events: readonly StoredEvent[]): boolean {
  return events.every((event, index) => {
    const before = events[index - 1]
    return before === undefined || event.seq === lastSeqOf(before) + 1
  })
}

/** Everything from after `begin` up to `end`, with gaps where events are missing. */
function filled(events: readonly StoredEvent[], begin: number, end: number): StoredEvent[] {
  const all: StoredEvent[] = []
  let next = begin + 1
  let at = 0
  for (const event of events) {
    if (event.seq < next) continue // the end of a range that is told already
    if (event.seq > next) all.push(gap(next, event.seq - 1, Math.max(at, event.at)))
    all.push(event)
    next = lastSeqOf(event) + 1
    at = event.at
  }
  if (next <= end) all.push(gap(next, end, at))
  return all
}

function gap(from: number, to: number, at: number): StoredEvent {
  const body: SessionEventOf<'gap'> = { kind: 'gap', from, to, reason: 'corrupt' }
  return { seq: from, to, kind: 'gap', v: 1, at, storedAt: at, hash: NO_HASH, body: JSON.stringify(body) }
}

function tombstoneOf(row: RawEvent, seq: number): StoredEvent {
  const hash = Buffer.isBuffer(row.hash) && row.hash.length === 32 ? row.hash.toString('hex') : NO_HASH
  const bytes = typeof row.body === 'string' ? Buffer.byteLength(row.body) : 0
  const body: HubOnlyEvent = { kind: 'tombstone', code: 'DAMAGED', path: '', bytes, sha256: hash }
  const time = (value: unknown) => (Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : 0)
  const at = time(row.at) || time(row.storedAt)
  return { seq, kind: 'tombstone', v: 1, at, storedAt: time(row.storedAt) || at, hash, body: JSON.stringify(body) }
}

function within(limit: EventsLimit, events: readonly StoredEvent[]): StoredEvent[] {
  let bytes = 0
  return events.filter(({ body }, index) => {
    bytes += body.length
    return index === 0 || bytes <= limit.maxBytes
  })
}
