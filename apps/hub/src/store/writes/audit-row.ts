/** The next row of the audit log's chain inside a group commit: the same row as `prisma-audit-tx` writes, by raw statements. */

import type { AuditItem } from '@roundhouse/backend-types'
import { CHAIN_START, hashAfter, lastHash } from '../../core/audit/audit-chain'
import type { AuditEntry } from '../../core/ports/audit-ports'
import type { Connection } from '../file/connections'

const columns = 'id, at, actorId, actorName, action, object, outcome, address, detail, hash'

export function appendAuditRow(db: Connection, entry: AuditEntry, at: number): void {
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
