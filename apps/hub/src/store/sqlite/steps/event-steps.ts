/** Events as they are appended, on the writing connection (STORE-2). */
import { CodedError, lastSeqOf } from '@roundhouse/backend-types'
import type { EventSteps } from '../../../core/ports/event-store'
import type { Connection } from '../file/connections'

export function createEventSteps(db: Connection): EventSteps {
  const hash = db.prepare<[number, number], { hash: Buffer }>('SELECT hash FROM Event WHERE sessionPk = ? AND seq = ?')
  const append = db.prepare(
    `INSERT INTO Event (sessionPk, seq, toSeq, kind, v, at, storedAt, agentAt, hash, body)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const appended = db.prepare(`INSERT INTO Append (kind, sessionPk, fromSeq, toSeq) VALUES ('events', ?, ?, ?)`)
  return {
    hashAt: (pk, seq) => {
      const found = hash.get(pk, seq)
      if (found && !Buffer.isBuffer(found.hash)) throw new CodedError('STORAGE_DAMAGED')
      return found?.hash.toString('hex')
    },
    append: (pk, events) => {
      try {
        for (const { agentAt, event } of events) {
          const { seq, to = null, kind, v, at, storedAt, hash, body } = event
          append.run(pk, seq, to, kind, v, at, storedAt, agentAt, Buffer.from(hash, 'hex'), body)
        }
      } catch (error) {
        // By the row nothing was there yet.
        if ((error as { code?: string }).code !== 'SQLITE_CONSTRAINT_PRIMARYKEY') throw error
        throw new CodedError('STORAGE_DAMAGED', undefined, undefined, error)
      }
      const [first, last] = [events[0], events.at(-1)]
      if (first && last) appended.run(pk, first.event.seq, lastSeqOf(last.event))
    },
  }
}
