/** Events as they are appended, on the writing connection (STORE-2). */
import { CodedError, lastSeqOf } from '@roundhouse/backend-types'
import type { AppendedEvent, OperationOf } from '../../../core/ports/stream/stream-change'
import type { LoadKeys, Looked } from '../../../core/ports/stream/stream-writer'
import type { Connection } from '../file/connections'
import { found, lookEach, nothing } from './look-up'
import type { SessionPlaces } from './session-places'

type Wanted = NonNullable<LoadKeys['hashes']>[number]
type Hashes = ReadonlyMap<number, Looked<string>>

/** Rows of one statement, the most first: a batch has 64 events at most. */
const SIZES = [64, 16, 4, 1] as const
const COLUMNS = 10

export function createEventStream(db: Connection) {
  const hashes = db.prepare<[number, string], { seq: number; hash: Buffer }>(
    'SELECT seq, hash FROM Event WHERE sessionPk = ? AND seq IN (SELECT value FROM json_each(?))',
  )
  const inserts = SIZES.map((size) => ({ size, insert: db.prepare(insertOf(size)) }))
  const append = db.prepare(`INSERT INTO Append (kind, sessionPk, fromSeq, toSeq, kinds) VALUES ('events', ?, ?, ?, ?)`)

  /** Only of numbers that are stored by what the row says: no other can be asked for. */
  function looked({ sessionId, seqs }: Wanted, places: SessionPlaces): Hashes {
    const { pk, committed } = places.get(sessionId) ?? { pk: 0, committed: 0 }
    const stored = seqs.filter((seq) => seq <= committed)
    if (stored.length === 0) return nothing
    const read = found(db, () => hashes.all(pk, JSON.stringify(stored)))
    if (read.damaged) return new Map(stored.map((seq) => [seq, { row: undefined, damaged: true }]))
    const bySeq = new Map(read.row?.map(({ seq, hash }) => [seq, hash]))
    return new Map(stored.map((seq) => [seq, toHash(bySeq.get(seq))]))
  }

  return {
    load: (wanted: LoadKeys['hashes'], places: SessionPlaces) =>
      lookEach(wanted, (one) => [one.sessionId, looked(one, places)]),
    append: ({ sessionId, events }: OperationOf<'events.append'>, places: SessionPlaces) => {
      const pk = places.pkOf(sessionId)
      let done = 0
      try {
        for (const { size, insert } of inserts) {
          for (; events.length - done >= size; done += size) insert.run(valuesOf(pk, events, done, done + size))
        }
      } catch (error) {
        // By the row nothing was there yet.
        if ((error as { code?: string }).code !== 'SQLITE_CONSTRAINT_PRIMARYKEY') throw error
        throw new CodedError('STORAGE_DAMAGED', undefined, undefined, error)
      }
      const [first, last] = [events[0], events.at(-1)]
      if (first && last) append.run(pk, first.event.seq, lastSeqOf(last.event), kindsOf(events))
    },
  }
}

function toHash(hash: Buffer | undefined): Looked<string> {
  if (hash === undefined) return { row: undefined }
  return Buffer.isBuffer(hash) ? { row: hash.toString('hex') } : { row: undefined, damaged: true }
}

const kindsOf = (events: readonly AppendedEvent[]): string =>
  [...new Set(events.map(({ event }) => event.kind))].join(' ')

function insertOf(size: number): string {
  const row = `(${Array(COLUMNS).fill('?').join(', ')})`
  return `INSERT INTO Event (sessionPk, seq, toSeq, kind, v, at, storedAt, agentAt, hash, body)
     VALUES ${Array(size).fill(row).join(', ')}`
}

function valuesOf(pk: number, events: readonly AppendedEvent[], from: number, end: number): unknown[] {
  const values: unknown[] = []
  for (const { event, agentAt } of events.slice(from, end)) {
    const { seq, to = null, kind, v, at, storedAt, hash, body } = event
    values.push(pk, seq, to, kind, v, at, storedAt, agentAt, Buffer.from(hash, 'hex'), body)
  }
  return values
}
