/** Everything that pages and gateways read, on a connection of its own, synchronous (VIEW-1: one read transaction). */
import { CodedError } from '@roundhouse/backend-types'
import type { Statement } from 'better-sqlite3'
import type {
  AgentRow,
  HubRow,
  MachineRow,
  SessionHead,
  SessionReads,
  SessionRow,
  SessionsFilter,
} from '../../core/ports/ports'
import { asDamaged } from '../../core/views/damaged-row'
import type { Connection } from '../file/connections'
import { readable, rowByRow } from '../rows/row-by-row'
import { listedColumns, machineColumns, type RawSession, type RawToken, sessionColumns, toToken } from '../rows/rows'
import { isWhole } from '../rows/whole-rows'
import { commandReads } from './command-reads'
import { createDamagedSessions, orDamaged } from './damaged-sessions'
import { createEventReads } from './event-reads'
import { requestReads } from './request-reads'

const isActive = `json_extract("status", '$.status') IN ('starting', 'idle', 'running', 'needs_you', 'paused')`
const countActive = 'SELECT agentId, count(*) AS n FROM Session INDEXED BY Session_active WHERE'

/** By the index alone, which holds no session that rests. */
export const activeStatements = {
  all: `${countActive} ${isActive} GROUP BY agentId`,
  ofAgent: `${countActive} agentId = ? AND ${isActive} GROUP BY agentId`,
} as const

interface Active {
  agentId: string
  n: number
}

export function createSessionReads(db: Connection): SessionReads {
  const { headOfEvents, ...eventReads } = createEventReads(db)
  return {
    inOneRead: inOneRead(db),
    ...eventReads,
    ...sessionReads(db, headOfEvents),
    ...requestReads(db),
    ...commandReads(db),
    ...agentReads(db),
  }
}

/** Rolled back, since nothing was written: a commit fails where a page could not be read, although the work did without it. */
function inOneRead(db: Connection): SessionReads['inOneRead'] {
  const [begin, end] = [db.prepare('BEGIN'), db.prepare('ROLLBACK')]
  return (work) => {
    if (db.inTransaction) return work()
    begin.run()
    try {
      return work()
    } finally {
      if (db.inTransaction) end.run()
    }
  }
}

function sessionReads(db: Connection, headOfEvents: (pk: number, told: number) => number) {
  const hub = db.prepare<[], HubRow>(
    'SELECT hubId, hubEpoch, publicKey, privateKey, revocationVersion, starts FROM HubState WHERE id = 1',
  )
  const version = db.prepare<[], { revocationVersion: number }>('SELECT revocationVersion FROM HubState WHERE id = 1')
  const rights = db.prepare<[], { rightsVersion: number }>('SELECT rightsVersion FROM HubState WHERE id = 1')
  const approval = db.prepare<[], { requireApproval: number }>('SELECT requireApproval FROM HubState WHERE id = 1')
  const one = db.prepare<[string], RawSession>(`SELECT ${sessionColumns} FROM Session WHERE sessionId = ?`)
  const deleted = db.prepare<[string], object>('SELECT 1 FROM Tombstone WHERE sessionId = ?')
  const head = db.prepare<[string], SessionHead>('SELECT pk, agentId, committed FROM Session WHERE sessionId = ?')
  const damaged = createDamagedSessions(db)
  /** Their rows make sense, and do not fit what is stored of them. */
  const unfit = new Set<string>()
  const fitting = (row: SessionRow) => (unfit.has(row.sessionId) ? asDamaged({ ...row }) : row)
  const listings = new Map<string, Listing>()
  const prepareOnce = (sql: string) => {
    const known = listings.get(sql) ?? db.prepare<unknown[], RawSession>(sql)
    listings.set(sql, known) // one text for each combination of filters
    return known
  }
  const ofAgent = db.prepare<[string], { sessionId: string }>('SELECT sessionId FROM Session WHERE agentId = ?')
  return {
    hub: () => {
      const row = hub.get()
      if (!row) throw new Error('the hub has no identity yet')
      return row
    },
    revocationVersion: () => version.get()?.revocationVersion ?? 0,
    rightsVersion: () => rights.get()?.rightsVersion ?? 0,
    requiresApproval: () => approval.get()?.requireApproval === 1,
    session: (sessionId: string) => {
      const row = readable(() => one.get(sessionId) ?? null)
      if (row === undefined) return damaged.session(sessionId)
      return row === null ? undefined : fitting(orDamaged(row, row))
    },
    isHeadWhole: (sessionId: string) => {
      const row = readable(() => head.get(sessionId))
      if (row && headOfEvents(row.pk, row.committed) !== row.committed) unfit.add(sessionId)
      return !unfit.has(sessionId)
    },
    isDeleted: (sessionId: string) => deleted.get(sessionId) !== undefined,
    head: (sessionId: string) => head.get(sessionId),
    sessions: (filter: SessionsFilter) =>
      (readable(() => listSessions(prepareOnce, filter)) ?? damaged.sessions(filter)).map(fitting),
    sessionIdsOfAgent: (agentId: string) =>
      readable(() => ofAgent.all(agentId).map((row) => row.sessionId)) ?? damaged.idsOfAgent(agentId),
  }
}

type Listing = Statement<unknown[], RawSession>

/** The order is (updatedAt, pk) downwards: one index serves it, and the cursor is a position in it. */
function listSessions(prepare: (sql: string) => Listing, filter: SessionsFilter) {
  const where: string[] = []
  const values: Array<string | number> = []
  const add = (sql: string, ...args: Array<string | number>) => {
    where.push(sql)
    values.push(...args)
  }
  if (filter.before) add('(updatedAt, pk) < (?, ?)', filter.before.updatedAt, filter.before.pk)
  if (filter.agentId !== undefined) add('agentId = ?', filter.agentId)
  if (filter.agentIds) add('agentId IN (SELECT value FROM json_each(?))', JSON.stringify([...filter.agentIds]))
  if (filter.backend !== undefined) add('backend = ?', filter.backend)
  if (filter.status !== undefined) {
    const busy = `(json_extract(status, '$.status') = 'idle' AND sessionId IN (SELECT value FROM json_each(?)))`
    const isShown = `CASE WHEN ${busy} THEN 'running' ELSE json_extract(status, '$.status') END`
    add(`${isShown} = ?`, JSON.stringify(filter.busyBeside ?? []), filter.status)
  }
  if (filter.archived !== undefined) add('archived = ?', filter.archived ? 1 : 0)
  if (filter.text !== undefined) {
    const like = `%${filter.text.replace(/[\\%_]/g, (c) => `\\${c}`)}%`
    add("(title LIKE ? ESCAPE '\\' OR lastLine LIKE ? ESCAPE '\\' OR workDir LIKE ? ESCAPE '\\')", like, like, like)
  }
  const sql = `SELECT ${listedColumns} FROM Session ${where.length > 0 ? `WHERE ${where.join(' AND ')}` : ''}
    ORDER BY updatedAt DESC, pk DESC LIMIT ?`
  return prepare(sql)
    .all(...values, filter.limit)
    .map((row) => orDamaged(row, row))
}

function agentReads(db: Connection) {
  const one = db.prepare<[string], AgentRow>('SELECT * FROM Agent WHERE agentId = ?')
  const state = db.prepare<[string], Pick<AgentRow, 'state'>>('SELECT state FROM Agent WHERE agentId = ?')
  const all = db.prepare<[], AgentRow>('SELECT * FROM Agent ORDER BY createdAt')
  const machine = db.prepare<[string], MachineRow>(`SELECT ${machineColumns} FROM Agent WHERE agentId = ?`)
  const numbers = db.prepare<[], number>('SELECT rowid FROM Agent INDEXED BY Agent_publicKey_key').pluck()
  const byNumber = db.prepare<[number], AgentRow>('SELECT * FROM Agent WHERE rowid = ?')
  const active = db.prepare<[], Active>(activeStatements.all)
  const activeOf = db.prepare<[string], Active>(activeStatements.ofAgent)
  const token = db.prepare<[string], RawToken>('SELECT * FROM EnrollmentToken WHERE tokenId = ?')
  const tokens = db.prepare<[number], RawToken>('SELECT * FROM EnrollmentToken ORDER BY createdAt DESC LIMIT ?')
  const readMachine = (agentId: string) => {
    const row = machine.get(agentId)
    return row && wholeAgent(row)
  }
  return {
    agent: (agentId: string) => {
      const row = one.get(agentId)
      return row && wholeAgent(row)
    },
    machine: readMachine,
    machines: (agentIds: Iterable<string>) =>
      [...new Set(agentIds)].flatMap((agentId) => readable(() => readMachine(agentId)) ?? []),
    agentState: (agentId: string) => state.get(agentId)?.state,
    agents: () =>
      rowByRow(
        () => all.all(),
        () => numbers.all(),
        (rowid) => byNumber.get(rowid),
      ).filter((row) => isWhole('agent', row)),
    activeSessionCounts: (agentId?: string) => {
      const rows = agentId === undefined ? active.all() : activeOf.all(agentId)
      return new Map(rows.map((row) => [row.agentId, row.n]))
    },
    token: (tokenId: string) => {
      const row = token.get(tokenId)
      return row && toToken(row)
    },
    tokens: (limit: number) => tokens.all(limit).map(toToken),
  }
}

function wholeAgent<Row extends MachineRow>(row: Row): Row {
  if (isWhole('agent', row)) return row
  throw new CodedError('STORAGE_DAMAGED')
}
