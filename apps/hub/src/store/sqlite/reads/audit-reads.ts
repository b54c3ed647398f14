/** The audit log on a reading connection. Writes nothing: the check command opens it beside a running hub. */
import type { AuditItem } from '@roundhouse/backend-types'
import type { AuditFilter, AuditStore, ChainRow, DisownedHead, Restore } from '../../../core/ports/audit-store'
import { type AtOnce, codedReads } from '../file/coded-reads'
import { type Connection, openReader } from '../file/connections'
import { readFacts } from '../rows/audit-facts'
import { readable } from '../rows/row-by-row'

const columns = 'id, at, actorId, actorName, action, object, outcome, address, detail, hash'

/** For a program of its own. Throws when there is no such file, or it holds no audit log. */
export function openAuditReads(file: string): { reads: AuditStore; close(): void } {
  const db = openReader(file)
  return { reads: codedReads(createAuditReads(db)), close: () => db.close() }
}

export function createAuditReads(db: Connection): AtOnce<AuditStore> {
  const upwards = db.prepare<[number, number], AuditItem>(
    `SELECT ${columns} FROM Audit WHERE id > ? ORDER BY id LIMIT ?`,
  )
  const last = db.prepare<[], { seq: number }>(`SELECT seq FROM sqlite_sequence WHERE name = 'Audit'`)
  const start = db.prepare<[], { auditStart: number }>('SELECT auditStart FROM HubState WHERE id = 1')
  const requests = db.prepare<[number, number], { place: number; requestId: string; isUnrecorded: number }>(
    `SELECT rowid AS place, requestId, decision IS NOT NULL AND NOT EXISTS (
       SELECT 1 FROM Audit a WHERE a.object = r.requestId AND a.action = 'permission.decide' AND a.outcome = 'ok'
       AND a.actorId = r.decidedBy AND json_extract(a.detail, '$.decision') = r.decision) AS isUnrecorded
     FROM Request r WHERE rowid > ? ORDER BY rowid LIMIT ?`,
  )
  const newest = db.prepare<[], number | null>('SELECT max(rowid) FROM Request').pluck()
  // The check command also opens the folder of an earlier release.
  const hasHeads = db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'ReturnedHead'").get() !== undefined
  const disowned = hasHeads
    ? db.prepare<[], DisownedHead>(
        `SELECT h.agentId, h.hubEpoch, h.id, h.hash, h.at, a.at AS foundAt FROM ReturnedHead h
         LEFT JOIN Audit a ON a.id = h.id WHERE a.hash IS NULL OR a.hash <> h.hash ORDER BY h.id`,
      )
    : undefined
  const restored = db.prepare<[], Restore>(
    `SELECT id, at, json_extract(detail, '$.before') AS before FROM Audit WHERE action = 'hub.restored' ORDER BY id`,
  )
  const hub = db.prepare<[], ReturnType<AtOnce<AuditStore>['hub']>>(
    'SELECT hubId, hubEpoch, publicKey FROM HubState WHERE id = 1',
  )
  const rowAt = db.prepare<[number], { hash: string; at: number }>('SELECT hash, at FROM Audit WHERE id = ?')
  const newestId = db.prepare<[], number | null>('SELECT max(id) FROM Audit').pluck()
  const hashed = db.prepare<[string], object>('SELECT 1 FROM Audit WHERE hash = ?')
  return {
    hasHash: (hash) => hashed.get(hash) !== undefined,
    newestId: () => newestId.get() ?? 0,
    page: (filter) => page(db, filter),
    after: (id, limit) =>
      db.transaction(() => ({
        rows: upwards.all(id, limit).map(toChainRow),
        lastId: last.get()?.seq ?? 0,
        start: start.get()?.auditStart ?? 0,
      }))(),
    disownedHeads: () => disowned?.all() ?? [],
    restores: () => restored.all(),
    hub: () => hub.get() ?? { hubId: '', hubEpoch: '', publicKey: '' },
    rowAt: (id) => rowAt.get(id),
    requestsAfter(place, limit) {
      const rows = requests.all(place, limit)
      const unrecorded = rows.find(({ isUnrecorded }) => isUnrecorded === 1)?.requestId
      return { last: rows.at(-1)?.place ?? null, unrecorded }
    },
    newestRequest: () => newest.get() ?? 0,
    unrecorded: (carriedOut) => {
      const missing = new Set(unrecorded(db).all(JSON.stringify(carriedOut)))
      return carriedOut.filter((_, index) => missing.has(index))
    },
  }
}

function toChainRow(row: AuditItem): ChainRow {
  if (row.action !== 'hub.restored') return row
  // Of one that is torn the hash tells.
  const { before = null } = (readable(() => readFacts(row.detail)) ?? {}) as { before?: string }
  return { ...row, epochBefore: before }
}

/** Prepared when it is asked for: the check command also opens the folder of an earlier release. */
function unrecorded(db: Connection) {
  return db
    .prepare<[string], number>(
      `SELECT e.key FROM json_each(?) e
       JOIN Deed d ON d.commandId = e.value ->> 'commandId' AND d.kind = 'permission_resolved' AND d.seq = e.value ->> 'seq'
       JOIN Command c ON c.commandId = d.commandId AND json_valid(c.body)
       WHERE NOT EXISTS (SELECT 1 FROM Audit a WHERE a.object = e.value ->> 'requestId' AND a.action = 'permission.decide'
         AND a.outcome = 'ok' AND a.actorId = c.authorId AND json_valid(a.detail)
         AND a.detail ->> 'decision' = c.body ->> 'decision')`,
    )
    .pluck()
}

function page(db: Connection, { limit, before, from, actorId, action }: AuditFilter): AuditItem[] {
  const values = { limit, before, from, actorId, action, within: action === undefined ? undefined : `${action}.` }
  const where = [
    'id >= @from AND id < @before',
    ...(actorId === undefined ? [] : ['actorId = @actorId']),
    ...(action === undefined ? [] : ['(action = @action OR substr(action, 1, length(@within)) = @within)']),
  ].join(' AND ')
  return db
    .prepare<[object], AuditItem>(`SELECT ${columns} FROM Audit WHERE ${where} ORDER BY id DESC LIMIT @limit`)
    .all(values)
}
