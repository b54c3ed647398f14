/** The event stream's statements, prepared once on the writing connection (STORE-2). Used inside a group commit only. */
import { CodedError, type CommandState, type StoredEvent } from '@roundhouse/backend-types'
import type { GivenCommand, IngestTx, NewSession, RequestRow, SessionRow, StreamChange } from '../../core/ports/ports'
import type { Connection } from '../file/connections'
import { readable } from '../rows/row-by-row'
import {
  givenCommand,
  promptEdits,
  type RawRequest,
  type RawSession,
  requestColumns,
  sessionColumns,
  toSession,
} from '../rows/rows'
import { isWhole } from '../rows/whole-rows'
import { appendAuditRow } from './audit-row'
import { createMachineTx } from './machine-tx'

type AgentFence = NonNullable<ReturnType<IngestTx['agent']>>
type CommandMark = NonNullable<ReturnType<IngestTx['command']>>

export function createIngestTx(db: Connection): IngestTx {
  const agent = db.prepare<[string], AgentFence>('SELECT connEpoch, state, name FROM Agent WHERE agentId = ?')
  const session = db.prepare<[string], RawSession>(`SELECT ${sessionColumns} FROM Session WHERE sessionId = ?`)
  const deleted = db.prepare<[string], object>('SELECT 1 FROM Tombstone WHERE sessionId = ?')
  const sessions = db.prepare<[string], { n: number }>('SELECT count(*) AS n FROM Session WHERE agentId = ?')
  const openRequests = openRequestReads(db)
  const hash = db.prepare<[number, number], { hash: Buffer }>('SELECT hash FROM Event WHERE sessionPk = ? AND seq = ?')
  const request = db.prepare<[string], RawRequest>(`SELECT ${requestColumns} FROM Request r WHERE requestId = ?`)
  const command = db.prepare<[string], CommandMark>(
    'SELECT sessionId, state, promptId FROM Command WHERE commandId = ?',
  )
  const given = db.prepare<[string, string], GivenCommand>(givenCommand)
  const proven = db.prepare('INSERT INTO Deed (commandId, kind, seq) VALUES (?, ?, ?) ON CONFLICT DO NOTHING')
  const edits = db.prepare<[string, string], GivenCommand>(promptEdits)
  const unsettled = db.prepare<[string], { commandId: string; state: CommandState }>(
    `SELECT commandId, state FROM Command WHERE sessionId = ? AND state IN ('sent', 'accepted')`,
  )
  const writes = prepareWrites(db)

  return {
    agent: (agentId) => agent.get(agentId),
    session: (sessionId) => found(session.get(sessionId)),
    countSessions: (agentId) => sessions.get(agentId)?.n ?? 0,
    openRequests,
    isDeleted: (sessionId) => deleted.get(sessionId) !== undefined,
    hashAt: (pk, seq) => {
      const found = hash.get(pk, seq)
      if (found && !Buffer.isBuffer(found.hash)) throw new CodedError('STORAGE_DAMAGED')
      return found?.hash.toString('hex')
    },
    request: (requestId) => request.get(requestId),
    command: (commandId) => command.get(commandId),
    given: (commandId, kind) => given.get(kind, commandId),
    setProven: (commandId, kind, seq) => void proven.run(commandId, kind, seq),
    promptEdits: (sessionId, promptId) => edits.all(sessionId, promptId),
    audit: (entry, at) => appendAuditRow(db, entry, at),
    unsettledCommands: (sessionId) => unsettled.all(sessionId),
    ...writes,
    ...createMachineTx(db),
  }
}

function prepareWrites(db: Connection) {
  const appendEvent = db.prepare(
    `INSERT INTO Event (sessionPk, seq, toSeq, kind, v, at, storedAt, agentAt, hash, body)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const insertSession = db.prepare(
    `INSERT INTO Session (sessionId, agentId, createdAt, createdBy, title, archived, logId, committed, malformed,
       blocked, projection, settings, backend, workDir, status, turnFailed, lastLine, cost, contextUsage, updatedAt)
     VALUES (@sessionId, @agentId, @createdAt, @createdBy, @title, @archived, @logId, @committed, @malformed,
       @blocked, @projection, @settings, @backend, @workDir, @status, @turnFailed, @lastLine, @cost,
       @contextUsage, @updatedAt)`,
  )
  const updateStream = db.prepare(
    `UPDATE Session SET logId = @logId, committed = @committed, malformed = @malformed, blocked = @blocked,
       title = @title, projection = @projection, settings = @settings, backend = @backend, workDir = @workDir,
       status = @status, turnFailed = @turnFailed, lastLine = @lastLine, cost = @cost, contextUsage = @contextUsage,
       updatedAt = @updatedAt WHERE pk = @pk`,
  )
  const insertRequest = db.prepare(
    `INSERT INTO Request (requestId, sessionPk, sessionId, agentId, procId, digest, ask, askedAt, expiresAt, outcome)
     VALUES (@requestId, @sessionPk, @sessionId, @agentId, @procId, @digest, @ask, @askedAt, @expiresAt, @outcome)
     ON CONFLICT (requestId) DO NOTHING`,
  )
  const reopenRequest = db.prepare(
    `UPDATE Request SET ask = ?, outcome = 'open', resolvedSeq = NULL WHERE requestId = ?`,
  )
  const emptyDecision = db.prepare(
    `UPDATE Request SET decision = NULL, decidedBy = NULL, deciderName = NULL, decidedAt = NULL, device = NULL,
       reason = NULL, commandId = NULL WHERE requestId = ? AND commandId = ? AND outcome = 'open'`,
  )
  const closeRequest = db.prepare('UPDATE Request SET outcome = ?, resolvedSeq = ? WHERE requestId = ?')
  const closeOpenRequests = db.prepare(
    `UPDATE Request SET outcome = ?, resolvedSeq = ? WHERE sessionPk = ? AND outcome = 'open'`,
  )
  const moveCommand = db.prepare(
    `UPDATE Command SET state = @to, errorCode = coalesce(@code, errorCode), errorMessage = coalesce(@message, errorMessage)
     WHERE commandId = @commandId AND state = @from`,
  )
  const refuseWaitingPrompts = db.prepare(
    `UPDATE Command SET state = 'refused', errorCode = @code, errorMessage = @message
     WHERE sessionId = @sessionId AND state = 'accepted' AND kind IN ('session.create', 'prompt.send')`,
  )
  const setCommandState = db.prepare('UPDATE Command SET state = ? WHERE commandId = ?')

  return {
    appendEvent(pk: number, event: StoredEvent, agentAt: number): void {
      const { seq, to = null, kind, v, at, storedAt, hash, body } = event
      try {
        appendEvent.run(pk, seq, to, kind, v, at, storedAt, agentAt, Buffer.from(hash, 'hex'), body)
      } catch (error) {
        // By the row nothing was there yet.
        if ((error as { code?: string }).code !== 'SQLITE_CONSTRAINT_PRIMARYKEY') throw error
        throw new CodedError('STORAGE_DAMAGED', undefined, undefined, error)
      }
    },
    insertSession(row: NewSession): SessionRow {
      const flags = { archived: row.archived ? 1 : 0, blocked: row.blocked ? 1 : 0, turnFailed: row.turnFailed ? 1 : 0 }
      const { lastInsertRowid } = insertSession.run({ ...row, ...flags })
      return { ...row, pk: Number(lastInsertRowid) }
    },
    updateStream(pk: number, change: StreamChange): void {
      updateStream.run({ ...change, blocked: change.blocked ? 1 : 0, turnFailed: change.turnFailed ? 1 : 0, pk })
    },
    insertRequest: (row: RequestRow): void => void insertRequest.run(row),
    reopenRequest: (requestId: string, ask: string): void => void reopenRequest.run(ask, requestId),
    emptyDecision: (requestId: string, commandId: string): boolean =>
      emptyDecision.run(requestId, commandId).changes === 1,
    closeRequest: (requestId: string, outcome: string, resolvedSeq: number | null): void =>
      void closeRequest.run(outcome, resolvedSeq, requestId),
    closeOpenRequests: (pk: number, outcome: string, resolvedSeq: number): void =>
      void closeOpenRequests.run(outcome, resolvedSeq, pk),
    refuseWaitingPrompts: (sessionId: string, error: { code: string; message: string }): void =>
      void refuseWaitingPrompts.run({ sessionId, ...error }),
    setCommandState: (commandId: string, state: CommandState): void => void setCommandState.run(state, commandId),
    moveCommand: (
      commandId: string,
      from: CommandState,
      to: CommandState,
      { code = null, message = null }: { code?: string | null; message?: string | null } = {},
    ): boolean => moveCommand.run({ commandId, from, to, code, message }).changes === 1,
  }
}

/** Nothing is built on a row that is not whole. */
function found(raw: RawSession | undefined): SessionRow | undefined {
  if (raw && !isWhole('session', raw)) throw new CodedError('STORAGE_DAMAGED')
  return raw && toSession(raw)
}

/** Where one of them cannot be read their number is all that is known: the index alone tells it. */
function openRequestReads(db: Connection): IngestTx['openRequests'] {
  const ofMachine = `FROM Request INDEXED BY Request_open_of_machine WHERE agentId = ? AND outcome = 'open'`
  const ofSession = `FROM Request INDEXED BY Request_open WHERE sessionPk = ? AND outcome = 'open'`
  const counted = (from: string) =>
    db.prepare<[string | number], OpenRequests>(`SELECT count(*) AS count, 0 AS bytes ${from}`)
  const measured = (from: string) =>
    db.prepare<[string | number], OpenRequests>(
      `SELECT count(*) AS count, coalesce(sum(octet_length(ask)), 0) AS bytes ${from}`,
    )
  const machine = { measured: measured(ofMachine), counted: counted(ofMachine) }
  const session = { measured: measured(ofSession), counted: counted(ofSession) }
  return (agentId, pk) => {
    const [of, key] = pk === undefined ? [machine, agentId] : [session, pk]
    return readable(() => of.measured.get(key)) ?? of.counted.get(key) ?? { count: 0, bytes: 0 }
  }
}

type OpenRequests = ReturnType<IngestTx['openRequests']>
