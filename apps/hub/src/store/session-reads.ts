/** Everything that pages and gateways read, on a connection of its own, synchronous (VIEW-1: one read transaction). */
import type { Statement } from 'better-sqlite3'
import type { AgentRow, CommandRow, HubRow, RequestRow, SessionReads, SessionsFilter } from '../core/ports'
import type { GivenCommand } from '../core/proven-author'
import type { Connection } from './connections'
import { createEventReads } from './event-reads'
import {
  commandColumns,
  givenCommand,
  listedColumns,
  promptEdits,
  type RawCommand,
  type RawSession,
  type RawToken,
  requestColumns,
  sessionColumns,
  toCommand,
  toSession,
  toToken,
} from './rows'

/** Requests that were decided and closed stay on the page until this many newer ones have been. */
const CLOSED_REQUESTS_SHOWN = 5

const requestsBy = (index: string) => `SELECT ${requestColumns}, c.state AS commandState
  FROM Request r ${index} LEFT JOIN Command c ON c.commandId = r.commandId`

const isWaiting = `r.outcome = 'open' AND r.decision IS NULL
  AND (:agentIds IS NULL OR r.agentId IN (SELECT value FROM json_each(:agentIds)))`

/**
 * Each looks at rows that matter and at no others, whatever the length of the session: the index is named, so that a
 * change which makes it useless fails loudly (P5).
 */
export const pendingStatements = {
  open: `${requestsBy('INDEXED BY Request_open')} WHERE r.sessionPk = ? AND r.outcome = 'open' ORDER BY r.askedAt`,
  closed: `${requestsBy('INDEXED BY Request_decided')}
    WHERE r.sessionPk = ? AND r.decision IS NOT NULL AND r.outcome <> 'open' ORDER BY r.askedAt DESC LIMIT ?`,
  // In the order in which the hub heard of them, which no machine can date.
  inbox: `WITH waiting AS (
      SELECT r.rowid AS id, r.agentId, row_number() OVER (PARTITION BY r.agentId ORDER BY r.rowid DESC) AS newest
      FROM Request r INDEXED BY Request_pending WHERE ${isWaiting}
    ), kept AS (
      SELECT id, row_number() OVER (PARTITION BY agentId ORDER BY id) AS turn FROM waiting WHERE newest <= :perMachine
    )
    SELECT ${requestColumns}, c.state AS commandState FROM kept JOIN Request r ON r.rowid = kept.id
    LEFT JOIN Command c ON c.commandId = r.commandId ORDER BY kept.turn, kept.id LIMIT :inAll`,
  byMachine: `SELECT r.agentId, count(*) AS n FROM Request r INDEXED BY Request_pending WHERE ${isWaiting} GROUP BY r.agentId`,
  counts: `SELECT sessionPk AS pk, count(*) AS n FROM Request INDEXED BY Request_pending
    WHERE outcome = 'open' AND decision IS NULL GROUP BY sessionPk`,
  commands: `SELECT ${commandColumns} FROM Command INDEXED BY Command_unfinished
    WHERE agentId = ? AND state IN ('pending', 'sent') ORDER BY createdAt`,
  pending: `SELECT ${commandColumns} FROM Command INDEXED BY Command_unfinished
    WHERE state IN ('pending', 'sent') AND state = 'pending'`,
  overdue: `SELECT ${commandColumns} FROM Command INDEXED BY Command_unfinished
    WHERE state IN ('pending', 'sent') AND expiresAt <= ?`,
  shown: `SELECT ${commandColumns} FROM Command INDEXED BY Command_shown
    WHERE sessionId = ? AND dismissed = 0 AND state NOT IN ('done', 'cancelled') ORDER BY createdAt DESC LIMIT 50`,
} as const

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
  return {
    inOneRead: (work) => db.transaction(work)(),
    ...createEventReads(db),
    ...sessionReads(db),
    ...requestReads(db),
    ...commandReads(db),
    ...agentReads(db),
  }
}

function sessionReads(db: Connection) {
  const hub = db.prepare<[], HubRow>(
    'SELECT hubId, hubEpoch, publicKey, privateKey, revocationVersion, starts FROM HubState WHERE id = 1',
  )
  const version = db.prepare<[], { revocationVersion: number }>('SELECT revocationVersion FROM HubState WHERE id = 1')
  const rights = db.prepare<[], { rightsVersion: number }>('SELECT rightsVersion FROM HubState WHERE id = 1')
  const approval = db.prepare<[], { requireApproval: number }>('SELECT requireApproval FROM HubState WHERE id = 1')
  const one = db.prepare<[string], RawSession>(`SELECT ${sessionColumns} FROM Session WHERE sessionId = ?`)
  const deleted = db.prepare<[string], object>('SELECT 1 FROM Tombstone WHERE sessionId = ?')
  const head = db.prepare<[string], { pk: number; committed: number }>(
    'SELECT pk, committed FROM Session WHERE sessionId = ?',
  )
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
      const row = one.get(sessionId)
      return row && toSession(row)
    },
    isDeleted: (sessionId: string) => deleted.get(sessionId) !== undefined,
    head: (sessionId: string) => head.get(sessionId),
    sessions: (filter: SessionsFilter) => listSessions(prepareOnce, filter),
    sessionIdsOfAgent: (agentId: string) => ofAgent.all(agentId).map((row) => row.sessionId),
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
  if (filter.status !== undefined) add("json_extract(status, '$.status') = ?", filter.status)
  if (filter.archived !== undefined) add('archived = ?', filter.archived ? 1 : 0)
  if (filter.text !== undefined) {
    const like = `%${filter.text.replace(/[\\%_]/g, (c) => `\\${c}`)}%`
    add("(title LIKE ? ESCAPE '\\' OR lastLine LIKE ? ESCAPE '\\' OR workDir LIKE ? ESCAPE '\\')", like, like, like)
  }
  const sql = `SELECT ${listedColumns} FROM Session ${where.length > 0 ? `WHERE ${where.join(' AND ')}` : ''}
    ORDER BY updatedAt DESC, pk DESC LIMIT ?`
  return prepare(sql)
    .all(...values, filter.limit)
    .map(toSession)
}

function requestReads(db: Connection) {
  const open = db.prepare<[number], RequestRow>(pendingStatements.open)
  const closed = db.prepare<[number, number], RequestRow>(pendingStatements.closed)
  const one = db.prepare<[string], RequestRow>(`${requestsBy('')} WHERE r.requestId = ?`)
  const inbox = db.prepare<[{ agentIds: string | null; perMachine: number; inAll: number }], RequestRow>(
    pendingStatements.inbox,
  )
  const byMachine = db.prepare<[{ agentIds: string | null }], Active>(pendingStatements.byMachine)
  const counts = db.prepare<[], { pk: number; n: number }>(pendingStatements.counts)
  return {
    requests: (pk: number) => [...closed.all(pk, CLOSED_REQUESTS_SHOWN).reverse(), ...open.all(pk)],
    request: (requestId: string) => one.get(requestId),
    pendingRequests: (limit: { perMachine: number; inAll: number }, agentIds: ReadonlySet<string> | null) =>
      inbox.all({ agentIds: agentIds && JSON.stringify([...agentIds]), ...limit }),
    pendingByMachine: (agentIds: ReadonlySet<string> | null) => {
      const rows = byMachine.all({ agentIds: agentIds && JSON.stringify([...agentIds]) })
      return new Map(rows.map(({ agentId, n }) => [agentId, n]))
    },
    pendingCounts: (pks: readonly number[]) => {
      const wanted = new Set(pks)
      return new Map(
        counts
          .all()
          .filter((row) => wanted.has(row.pk))
          .map((row) => [row.pk, row.n]),
      )
    },
  }
}

function commandReads(db: Connection) {
  const shown = db.prepare<[string], RawCommand>(pendingStatements.shown)
  const unfinished = db.prepare<[string], RawCommand>(pendingStatements.commands)
  const pending = db.prepare<[], RawCommand>(pendingStatements.pending)
  const overdue = db.prepare<[number], RawCommand>(pendingStatements.overdue)
  const one = db.prepare<[string], RawCommand>(`SELECT ${commandColumns} FROM Command WHERE commandId = ?`)
  const given = db.prepare<[string, string], GivenCommand>(givenCommand)
  const edits = db.prepare<[string, string], GivenCommand>(promptEdits)
  return {
    commands: (sessionId: string) => shown.all(sessionId).reverse().map(toCommand),
    unfinishedCommands: (agentId: string) => unfinished.all(agentId).map(toCommand),
    pendingCommands: () => pending.all().map(toCommand),
    overdueCommands: (now: number) => overdue.all(now).map(toCommand),
    given: (commandId: string, kind: string) => given.get(kind, commandId),
    promptEdits: (sessionId: string, promptId: string) => edits.all(sessionId, promptId),
    command: (commandId: string): CommandRow | undefined => {
      const row = one.get(commandId)
      return row && toCommand(row)
    },
  }
}

function agentReads(db: Connection) {
  const one = db.prepare<[string], AgentRow>('SELECT * FROM Agent WHERE agentId = ?')
  const state = db.prepare<[string], Pick<AgentRow, 'state'>>('SELECT state FROM Agent WHERE agentId = ?')
  const all = db.prepare<[], AgentRow>('SELECT * FROM Agent ORDER BY createdAt')
  const active = db.prepare<[], Active>(activeStatements.all)
  const activeOf = db.prepare<[string], Active>(activeStatements.ofAgent)
  const token = db.prepare<[string], RawToken>('SELECT * FROM EnrollmentToken WHERE tokenId = ?')
  const tokens = db.prepare<[number], RawToken>('SELECT * FROM EnrollmentToken ORDER BY createdAt DESC LIMIT ?')
  return {
    agent: (agentId: string) => one.get(agentId),
    agentState: (agentId: string) => state.get(agentId)?.state,
    agents: () => all.all(),
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
