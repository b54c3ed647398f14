/**
 * The audit log inside a group commit. The next row of its chain is the one that `prisma-audit-writes` would write, by raw
 * statements.
 */
import type { AuditItem } from '@roundhouse/backend-types'
import { CHAIN_START, hashAfter, lastHash } from '../../../core/audit/audit-chain'
import type { OperationOf } from '../../../core/ports/stream/stream-change'
import type { Connection } from '../file/connections'

const columns = 'id, at, actorId, actorName, action, object, outcome, address, detail, hash'

export function createAuditStream(db: Connection) {
  const given = db.prepare<[], { auditHeads: number }>('SELECT auditHeads FROM HubState WHERE id = 1')
  const keepHead = db.prepare(
    `INSERT INTO ReturnedHead (agentId, hubEpoch, id, hash, at, count, returnedAt)
     VALUES (@agentId, @hubEpoch, @id, @hash, @at, @count, @returnedAt)
     ON CONFLICT (agentId, hubEpoch) DO UPDATE SET id = excluded.id, hash = excluded.hash, at = excluded.at,
       count = excluded.count, returnedAt = excluded.returnedAt WHERE excluded.id > ReturnedHead.id`,
  )
  return {
    headsGiven: () => given.get()?.auditHeads ?? 0,
    append: (operation: OperationOf<'audit.append'>) => appendRow(db, operation),
    keepReturnedHead: ({ head }: OperationOf<'audit.keepReturnedHead'>) => keepHead.run(head),
  }
}

function appendRow(db: Connection, { entry, at }: OperationOf<'audit.append'>): void {
  const { object = null, address = null, detail, ...who } = entry
  const last = db.prepare<[], { id: number; hash: string }>('SELECT id, hash FROM Audit ORDER BY id DESC LIMIT 1').get()
  const id = (last?.id ?? 0) + 1
  const facts = { ...who, object, address, detail: detail ? JSON.stringify(detail) : null, at, id }
  const previous = last ? last.hash || hashOfOlder(db) : CHAIN_START
  const values = '@id, @at, @actorId, @actorName, @action, @object, @outcome, @address, @detail, @hash'
  db.prepare(`INSERT INTO Audit (${columns}) VALUES (${values})`).run({ ...facts, hash: hashAfter(previous, facts) })
}

/** Once in a hub's life: the first row of the chain covers all that were there before. */
function hashOfOlder(db: Connection): string {
  return lastHash(db.prepare<[], AuditItem>(`SELECT ${columns} FROM Audit ORDER BY id`).iterate())
}
