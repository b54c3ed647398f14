/** Sessions as pages and lists show them. One that is not whole is marked, wherever it stands. */
import type { Statement } from 'better-sqlite3'
import type {
  SessionHead,
  SessionRow,
  SessionStore,
  SessionsFilter,
  SessionsPage,
} from '../../../core/ports/session-store'
import { asDamaged } from '../../../core/views/damaged-row'
import type { AtOnce } from '../file/coded-reads'
import type { Connection } from '../file/connections'
import { readable } from '../rows/row-by-row'
import { listedColumns, sessionColumns } from '../rows/rows'
import type { RawSession } from '../rows/session-rows'
import { createDamagedReads } from './damaged-events'
import { createDamagedSessions, orDamaged } from './damaged-sessions'
import { createKeptReads } from './kept-sessions'
import { type ListedSession, pageOf, readCursor, type WantedSessions } from './sessions-cursor'

const isActive = `json_extract("status", '$.status') IN ('starting', 'idle', 'running', 'needs_you', 'paused')`
const countActive = 'SELECT agentId, count(*) AS n FROM Session INDEXED BY Session_active WHERE'

/** By the index alone, which holds no session that rests. */
export const activeStatements = {
  all: `${countActive} ${isActive} GROUP BY agentId`,
  ofAgent: `${countActive} agentId = ? AND ${isActive} GROUP BY agentId`,
} as const

/** Each machine by its own index, machine after machine as they were named. */
export const latestOfMachines = `SELECT ${listedColumns} FROM json_each(?) machine
  JOIN Session ON pk IN (SELECT pk FROM Session WHERE agentId = machine.value AND archived = 0
    ORDER BY updatedAt DESC, pk DESC LIMIT ?)
  ORDER BY machine.key, updatedAt DESC, pk DESC`

/** By the index alone, which holds no session that is no run. */
export const openRuns = `SELECT sessionId FROM Session INDEXED BY Session_open_run
  WHERE onPermission IS NOT NULL AND json_extract("status", '$.status') <> 'ended'`

interface Active {
  agentId: string
  n: number
}

/** `unfit`: whose rows make sense, and do not fit what is stored of them. */
export function createSessionReads(db: Connection, unfit: Set<string>): AtOnce<SessionStore> {
  const { headOfEvents } = createDamagedReads(db)
  const one = db.prepare<[string], RawSession>(`SELECT ${sessionColumns} FROM Session WHERE sessionId = ?`)
  const deleted = db.prepare<[string], object>('SELECT 1 FROM Tombstone WHERE sessionId = ?')
  const head = db.prepare<[string], SessionHead>('SELECT agentId, committed FROM Session WHERE sessionId = ?')
  const headsOf = db.prepare<[string], SessionHead & { sessionId: string }>(
    'SELECT sessionId, agentId, committed FROM Session WHERE sessionId IN (SELECT value FROM json_each(?))',
  )
  const damaged = createDamagedSessions(db)
  const fitting = (row: SessionRow) => (unfit.has(row.sessionId) ? asDamaged({ ...row }) : row)
  const listings = new Map<string, Listing>()
  const prepareOnce = (sql: string) => {
    const known = listings.get(sql) ?? db.prepare<unknown[], RawSession>(sql)
    listings.set(sql, known) // one text for each combination of filters
    return known
  }
  const among = 'FROM Session WHERE sessionId IN (SELECT value FROM json_each(?))'
  const many = db.prepare<[string], RawSession>(`SELECT ${sessionColumns} ${among}`)
  const manyListed = db.prepare<[string], RawSession>(`SELECT ${listedColumns} ${among}`)
  const latest = db.prepare<[string, number], RawSession>(latestOfMachines)
  const ofAgent = db.prepare<[string], { sessionId: string }>('SELECT sessionId FROM Session WHERE agentId = ?')
  const active = db.prepare<[], Active>(activeStatements.all)
  const runs = db.prepare<[], string>(openRuns).pluck()
  const activeOf = db.prepare<[string], Active>(activeStatements.ofAgent)
  const find = (sessionId: string) => {
    const row = readable(() => one.get(sessionId) ?? null)
    if (row === undefined) return damaged.session(sessionId)
    return row === null ? undefined : fitting(orDamaged(row, row))
  }
  /** All at once where that is possible, otherwise each alone. */
  const together = (statement: Listing, sessionIds: readonly string[]) => {
    if (sessionIds.length === 0) return []
    const rows = readable(() => statement.all(JSON.stringify(sessionIds)))
    return rows?.map((row) => fitting(orDamaged(row, row)))
  }
  const isHeadWhole = (sessionId: string) => {
    const row = readable(() => head.get(sessionId))
    if (row && headOfEvents(sessionId, row.committed) !== row.committed) unfit.add(sessionId)
    return !unfit.has(sessionId)
  }
  const list = (filter: SessionsFilter): SessionsPage => {
    const wanted = { ...filter, before: readCursor(filter.cursor) }
    const found = readable(() => listSessions(prepareOnce, wanted)) ?? damaged.sessions(wanted)
    return pageOf(found, filter.limit, fitting)
  }
  return {
    find,
    findMany: (sessionIds) =>
      together(many, sessionIds) ?? sessionIds.flatMap((sessionId) => readable(() => find(sessionId)) ?? []),
    listed: (sessionIds) =>
      together(manyListed, sessionIds) ?? sessionIds.flatMap((sessionId) => find(sessionId) ?? []),
    list,
    latestOfMachines: (agentIds, limit) => {
      const rows = readable(() => latest.all(JSON.stringify(agentIds), limit))
      if (rows) return rows.map((row) => fitting(orDamaged(row, row)))
      return agentIds.flatMap((agentId) => list({ limit, archived: false, agentId }).rows)
    },
    heads: (sessionIds) => {
      const rows =
        readable(() => headsOf.all(JSON.stringify(sessionIds))) ??
        sessionIds.flatMap((sessionId) => {
          const one = readable(() => head.get(sessionId))
          return one ? [{ ...one, sessionId }] : []
        })
      return new Map(rows.map(({ sessionId, ...one }) => [sessionId, one]))
    },
    kept: createKeptReads(db, { find, isHeadWhole, fitting }),
    isDeleted: (sessionId) => deleted.get(sessionId) !== undefined,
    isHeadWhole,
    idsOfMachine: (agentId) =>
      readable(() => ofAgent.all(agentId).map((row) => row.sessionId)) ?? damaged.idsOfAgent(agentId),
    openRuns: () => runs.all(),
    activeByMachine: (agentId) => {
      const rows = agentId === undefined ? active.all() : activeOf.all(agentId)
      return new Map(rows.map((row) => [row.agentId, row.n]))
    },
  }
}

type Listing = Statement<unknown[], RawSession>

/** The order is (updatedAt, pk) downwards: one index serves it. One more than the page holds, to know whether there is another. */
function listSessions(prepare: (sql: string) => Listing, filter: WantedSessions): ListedSession[] {
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
    const others = [...(filter.shownAs ?? [])]
    const found = others.flatMap(([sessionId, shown]) => (shown === filter.status ? sessionId : []))
    const among = 'sessionId IN (SELECT value FROM json_each(?))'
    const isStored = `(json_extract(status, '$.status') = ? AND NOT ${among})`
    const all = others.map(([sessionId]) => sessionId)
    const endedOn = 'agentId IN (SELECT value FROM json_each(?))'
    const beside = filter.status === 'ended' ? `OR ${endedOn}` : `AND NOT ${endedOn}`
    const values = [
      JSON.stringify(found),
      filter.status,
      JSON.stringify(all),
      JSON.stringify([...(filter.endedOn ?? [])]),
    ]
    add(`((${among} OR ${isStored}) ${beside})`, ...values)
  }
  if (filter.runs !== undefined) add(filter.runs ? 'onPermission IS NOT NULL' : 'onPermission IS NULL')
  if (filter.archived !== undefined) add('archived = ?', filter.archived ? 1 : 0)
  if (filter.text !== undefined) {
    const like = `%${filter.text.replace(/[\\%_]/g, (c) => `\\${c}`)}%`
    add("(title LIKE ? ESCAPE '\\' OR lastLine LIKE ? ESCAPE '\\' OR workDir LIKE ? ESCAPE '\\')", like, like, like)
  }
  const sql = `SELECT ${listedColumns} FROM Session ${where.length > 0 ? `WHERE ${where.join(' AND ')}` : ''}
    ORDER BY updatedAt DESC, pk DESC LIMIT ?`
  return prepare(sql)
    .all(...values, filter.limit + 1)
    .map((raw) => ({ row: orDamaged(raw, raw), pk: raw.pk }))
}
