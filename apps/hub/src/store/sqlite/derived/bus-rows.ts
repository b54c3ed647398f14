/** Rows of the bus between their columns and what the core knows, and the statements that write them. */
import { z } from 'zod'
import { type BusRow, type BusTask, type NewBusRow, type PeerRow, TASKS_KEPT } from '../../../core/ports/bus-store'
import { readObject } from '../rows/json-objects'
import { readable } from '../rows/row-by-row'

/** Two connections write them: the one of group commits, and the transaction of the follower. */
export interface Statement {
  sql: string
  values: (string | number | null)[]
}

export interface RawBusRow extends Omit<BusRow, 'data'> {
  data: string
  erased: number
}

export interface RawPeer extends Omit<PeerRow, 'facts'> {
  facts: string
}

const columns =
  'topic, fromPeer, messageId, correlationId, parentId, fromName, terminalId, publishedAt, storedAt, schema, data, subject, agentId, userId, sessionId'

export const busColumns = `"offset", ${columns}, erased`

function toBusRow({ erased: _, data, ...row }: RawBusRow): BusRow {
  return { ...row, data: readObject<BusRow['data']>(data) }
}

/** Null: the row is damaged. Who reads the others is not kept from them. */
export function toWholeBusRow(raw: RawBusRow): BusRow | null {
  const { topic, fromPeer, messageId, fromName, publishedAt, schema, storedAt } = raw
  const texts = [topic, fromPeer, messageId, fromName, publishedAt, schema]
  if (texts.some((text) => typeof text !== 'string') || Number.isNaN(new Date(storedAt).getTime())) return null
  return readable(() => toBusRow(raw)) ?? null
}

/** `facts` of a shape that the core would trip over are damaged too. */
const Peer = z.object({
  peerId: z.string().min(1),
  kind: z.enum(['session', 'token', 'person']),
  role: z.enum(['worker', 'orchestrator']),
  name: z.string(),
  userId: z.string().nullable(),
  agentId: z.string().nullable(),
  state: z.enum(['here', 'stale', 'left']),
  joinedAt: z.number().min(0),
  seenAt: z.number().min(0),
  reason: z.enum(['clean', 'crash', 'timeout']).nullable(),
  phase: z.string().nullable(),
  facts: z.looseObject({
    parentId: z.string().nullable().optional(),
    model: z.string().optional(),
    mission: z.string().optional(),
    cwd: z.string().optional(),
    procId: z.string().optional(),
    phasesCompleted: z.array(z.string()).optional(),
    phaseAt: z.number().optional(),
    forcedPhase: z.string().optional(),
    completed: z.boolean().optional(),
    cost: z.number().optional(),
    tokens: z.number().optional(),
    heartbeat: z.record(z.string(), z.unknown()).optional(),
  }),
})

/** Null: the row is damaged. */
export function toWholePeer(raw: RawPeer): PeerRow | null {
  const read = readable(() => Peer.safeParse({ ...raw, facts: readObject(raw.facts) }))
  return read?.success ? (read.data as PeerRow) : null
}

export const isWholeTask = (task: BusTask): boolean =>
  [task.taskId, task.peerId, task.ownerId].every((text) => typeof text === 'string')

/** One more than the newest: dense whatever happened before, since the newest is never removed. Writes nothing for a message that is there. */
export const insertSql = `INSERT INTO BusMessage ("offset", ${columns})
  SELECT (SELECT coalesce(max("offset"), 0) + 1 FROM BusMessage), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?
  WHERE NOT EXISTS (SELECT 1 FROM BusMessage WHERE fromPeer = ? AND messageId = ?)`

export function valuesOf(row: NewBusRow): Statement['values'] {
  const { topic, fromPeer, messageId, correlationId, parentId, fromName, terminalId, publishedAt, storedAt } = row
  const { schema, data, subject, agentId, userId, sessionId } = row
  const head = [topic, fromPeer, messageId, correlationId, parentId, fromName, terminalId, publishedAt, storedAt]
  return [...head, schema, JSON.stringify(data), subject, agentId, userId, sessionId, fromPeer, messageId]
}

const fields = columns.split(', ').map((_, i) => `json_extract(value, '$[${i}]') AS c${i}`)
const names = columns.split(', ').map((_, i) => `c${i}`)

/** All rows of a lot in one statement, so that a follower holds the gate for a moment only. The offsets stay dense, since those that are there are left out before they are counted. */
export function insertAll(rows: readonly NewBusRow[]): Statement {
  const fresh = new Map<string, NewBusRow>()
  for (const row of rows) {
    const key = `${row.fromPeer} ${row.messageId}`
    if (!fresh.has(key)) fresh.set(key, row)
  }
  const lists = [...fresh.values()].map((row) => valuesOf(row).slice(0, names.length))
  return {
    sql: `INSERT INTO BusMessage ("offset", ${columns})
      SELECT (SELECT coalesce(max("offset"), 0) FROM BusMessage) + row_number() OVER (ORDER BY n), ${names}
      FROM (SELECT key AS n, ${fields} FROM json_each(?)) AS one
      WHERE NOT EXISTS (SELECT 1 FROM BusMessage AS m WHERE m.fromPeer = one.c1 AND m.messageId = one.c2)`,
    values: [JSON.stringify(lists)],
  }
}

const peerColumns = 'peerId, kind, role, name, userId, agentId, state, joinedAt, seenAt, reason, phase, facts'
export const peersSql = `SELECT ${peerColumns} FROM BusPeer WHERE kind <> 'session' UNION ALL
  SELECT * FROM (SELECT * FROM (SELECT ${peerColumns} FROM BusPeer WHERE kind = 'session' ORDER BY seenAt DESC LIMIT ?) ORDER BY seenAt)`
export const peersByIdSql = `SELECT ${peerColumns} FROM BusPeer WHERE peerId IN (SELECT value FROM json_each(?))`

export function putPeer(peer: PeerRow): Statement {
  const { peerId, kind, role, name, userId, agentId, state, joinedAt, seenAt, reason, phase, facts } = peer
  const values = [peerId, kind, role, name, userId, agentId, state, joinedAt, seenAt, reason, phase]
  return {
    sql: `INSERT OR REPLACE INTO BusPeer (${peerColumns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    values: [...values, JSON.stringify(facts)],
  }
}

export const tasksSql = 'SELECT taskId, peerId, ownerId FROM BusTask ORDER BY rowid'

/** One that is assigned again is the newest. */
const putTask = ({ taskId, peerId, ownerId }: BusTask): Statement => ({
  sql: 'INSERT OR REPLACE INTO BusTask (taskId, peerId, ownerId) VALUES (?, ?, ?)',
  values: [taskId, peerId, ownerId],
})

const keepNewestTasks = (ownerId: string): Statement => ({
  sql: `DELETE FROM BusTask WHERE rowid IN
    (SELECT rowid FROM BusTask WHERE ownerId = ? ORDER BY rowid DESC LIMIT -1 OFFSET ${TASKS_KEPT})`,
  values: [ownerId],
})

export const putTasks = (tasks: readonly BusTask[]): Statement[] => [
  ...tasks.map(putTask),
  ...[...new Set(tasks.map(({ ownerId }) => ownerId))].map(keepNewestTasks),
]

/** What the messages of all sessions take, and the session whose messages take most. */
export interface OfSessions {
  peerId: string
  together: number
}
export const ofSessionsSql = `SELECT p.peerId, sum(v.bytes) OVER () AS together FROM BusVolume AS v
  JOIN BusPeer AS p ON p.peerId = v.fromPeer AND p.kind = 'session' ORDER BY v.bytes DESC LIMIT 1`

/** The index of `sessionId` has them in the order of their offsets; what others say to the session stays. */
const bySession = 'sessionId = ? AND +fromPeer = sessionId AND "offset" < (SELECT max("offset") FROM BusMessage)'
export const oldestOfSessionSql = `SELECT "offset", 500 + length(CAST(data AS BLOB)) AS bytes FROM BusMessage
  WHERE ${bySession} ORDER BY "offset" LIMIT ?`
export const dropOfSessionSql = `DELETE FROM BusMessage WHERE ${bySession} AND "offset" <= ?`

/** The offset stays, and what a repeat is known by. */
const blank = `UPDATE BusMessage SET erased = 1, data = '{}', topic = '', fromName = '', schema = '', correlationId = NULL, parentId = NULL,
  terminalId = NULL, publishedAt = '', subject = NULL, agentId = NULL, userId = NULL, sessionId = NULL`

export const HEARTBEAT = 'worker-heartbeat-v1'
export const blankHeartbeatSql = `${blank} WHERE schema = '${HEARTBEAT}' AND fromPeer = ?`

/** Its messages, its peer, its tasks, and what it asked. */
export const eraseOf = (sessionId: string): Statement[] => [
  { sql: `${blank} WHERE sessionId = ?`, values: [sessionId] },
  { sql: 'DELETE FROM BusPeer WHERE peerId = ?', values: [sessionId] },
  { sql: 'DELETE FROM BusTask WHERE peerId = ?', values: [sessionId] },
  { sql: 'DELETE FROM BusAsk WHERE peerId = ?', values: [sessionId] },
]
