/** Rows of sessions in the event stream, by statements prepared once on the writing connection (STORE-2). */
import type { OperationOf } from '../../../core/ports/stream/stream-change'
import type { LoadKeys, LookedSession } from '../../../core/ports/stream/stream-writer'
import type { Connection } from '../file/connections'
import { sessionColumns } from '../rows/rows'
import { type RawSession, toSession, writeSession } from '../rows/session-rows'
import { found, lookEach } from './look-up'
import type { SessionPlaces } from './session-places'

type Wanted = NonNullable<LoadKeys['sessions']>[number]

export function createSessionStream(db: Connection) {
  const one = db.prepare<[string], RawSession>(`SELECT ${sessionColumns} FROM Session WHERE sessionId = ?`)
  const deleted = db.prepare<[string], object>('SELECT 1 FROM Tombstone WHERE sessionId = ?')
  const count = db.prepare<[string], { n: number }>('SELECT count(*) AS n FROM Session WHERE agentId = ?')
  const insert = db.prepare(
    `INSERT INTO Session (sessionId, agentId, createdAt, createdBy, title, archived, onPermission, logId, committed,
       malformed, blocked, projection, settings, backend, workDir, status, turnFailed, lastLine, cost, contextUsage, updatedAt)
     VALUES (@sessionId, @agentId, @createdAt, @createdBy, @title, @archived, @onPermission, @logId, @committed,
       @malformed, @blocked, @projection, @settings, @backend, @workDir, @status, @turnFailed, @lastLine, @cost,
       @contextUsage, @updatedAt)`,
  )
  const update = db.prepare(
    `UPDATE Session SET logId = @logId, committed = @committed, malformed = @malformed, blocked = @blocked,
       title = @title, projection = @projection, settings = @settings, backend = @backend, workDir = @workDir,
       status = @status, turnFailed = @turnFailed, lastLine = @lastLine, cost = @cost, contextUsage = @contextUsage,
       updatedAt = @updatedAt WHERE pk = @pk`,
  )

  function looked({ sessionId, madeBy }: Wanted, places: SessionPlaces): LookedSession {
    const read = found(db, () => one.get(sessionId))
    if (read.damaged) return { row: undefined, damaged: true }
    if (!read.row) {
      const isDeleted = deleted.get(sessionId) !== undefined
      return { row: undefined, isDeleted, ...(madeBy !== undefined && { madeBefore: count.get(madeBy)?.n ?? 0 }) }
    }
    const raw = read.row
    places.set(sessionId, raw)
    return found(db, () => toSession(raw))
  }

  return {
    load: (wanted: LoadKeys['sessions'], places: SessionPlaces) =>
      lookEach(wanted, (one) => [one.sessionId, looked(one, places)]),
    insert: ({ row }: OperationOf<'session.insert'>, places: SessionPlaces) => {
      const flags = { archived: row.archived ? 1 : 0, blocked: row.blocked ? 1 : 0, turnFailed: row.turnFailed ? 1 : 0 }
      const { lastInsertRowid } = insert.run({ ...row, ...writeSession(row), ...flags })
      places.set(row.sessionId, { pk: Number(lastInsertRowid), committed: 0 })
    },
    update: ({ sessionId, change }: OperationOf<'session.update'>, places: SessionPlaces) => {
      const flags = { blocked: change.blocked ? 1 : 0, turnFailed: change.turnFailed ? 1 : 0 }
      update.run({ ...change, ...writeSession(change), ...flags, pk: places.pkOf(sessionId) })
    },
  }
}
