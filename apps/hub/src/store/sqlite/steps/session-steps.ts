/** Rows of sessions in the event stream, by statements prepared once on the writing connection (STORE-2). */
import { CodedError } from '@roundhouse/backend-types'
import type { SessionRow, SessionSteps } from '../../../core/ports/session-store'
import type { Connection } from '../file/connections'
import { type RawSession, sessionColumns, toSession } from '../rows/rows'
import { isWhole } from '../rows/whole-rows'

export function createSessionSteps(db: Connection): SessionSteps {
  const one = db.prepare<[string], RawSession>(`SELECT ${sessionColumns} FROM Session WHERE sessionId = ?`)
  const deleted = db.prepare<[string], object>('SELECT 1 FROM Tombstone WHERE sessionId = ?')
  const count = db.prepare<[string], { n: number }>('SELECT count(*) AS n FROM Session WHERE agentId = ?')
  const insert = db.prepare(
    `INSERT INTO Session (sessionId, agentId, createdAt, createdBy, title, archived, logId, committed, malformed,
       blocked, projection, settings, backend, workDir, status, turnFailed, lastLine, cost, contextUsage, updatedAt)
     VALUES (@sessionId, @agentId, @createdAt, @createdBy, @title, @archived, @logId, @committed, @malformed,
       @blocked, @projection, @settings, @backend, @workDir, @status, @turnFailed, @lastLine, @cost,
       @contextUsage, @updatedAt)`,
  )
  const update = db.prepare(
    `UPDATE Session SET logId = @logId, committed = @committed, malformed = @malformed, blocked = @blocked,
       title = @title, projection = @projection, settings = @settings, backend = @backend, workDir = @workDir,
       status = @status, turnFailed = @turnFailed, lastLine = @lastLine, cost = @cost, contextUsage = @contextUsage,
       updatedAt = @updatedAt WHERE pk = @pk`,
  )
  return {
    find: (sessionId) => found(one.get(sessionId)),
    isDeleted: (sessionId) => deleted.get(sessionId) !== undefined,
    countOfMachine: (agentId) => count.get(agentId)?.n ?? 0,
    insert: (row) => {
      const flags = { archived: row.archived ? 1 : 0, blocked: row.blocked ? 1 : 0, turnFailed: row.turnFailed ? 1 : 0 }
      const { lastInsertRowid } = insert.run({ ...row, ...flags })
      return { ...row, pk: Number(lastInsertRowid) }
    },
    update: (pk, change) => {
      update.run({ ...change, blocked: change.blocked ? 1 : 0, turnFailed: change.turnFailed ? 1 : 0, pk })
    },
  }
}

/** Nothing is built on a row that is not whole. */
function found(raw: RawSession | undefined): SessionRow | undefined {
  if (raw && !isWhole('session', raw)) throw new CodedError('STORAGE_DAMAGED')
  return raw && toSession(raw)
}
