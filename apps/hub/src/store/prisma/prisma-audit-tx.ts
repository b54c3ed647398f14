/** The next row of the audit log's chain, inside the very transaction whose deed it tells of. One gate: no two follow one row. */

import { CHAIN_START, hashAfter, lastHash } from '../../core/audit/audit-chain'
import type { AuditEntry } from '../../core/ports/audit-ports'
import { date, type Tx } from './prisma-values'

export async function appendAudit(tx: Tx, entry: AuditEntry, at: number): Promise<void> {
  const { object = null, address = null, detail, ...who } = entry
  const last = await tx.audit.findFirst({ orderBy: { id: 'desc' }, select: { id: true, hash: true } })
  const facts = {
    ...who,
    object,
    address,
    detail: detail ? JSON.stringify(detail) : null,
    at,
    id: (last?.id ?? 0) + 1,
  }
  const previous = last ? last.hash || (await hashOfOlder(tx)) : CHAIN_START
  await tx.audit.create({ data: { ...facts, at: date(at), hash: hashAfter(previous, facts) } })
}

/** Once in a hub's life: the first row of the chain covers all that were there before. */
async function hashOfOlder(tx: Tx): Promise<string> {
  const rows = await tx.audit.findMany({ orderBy: { id: 'asc' } })
  return lastHash(rows.map((row) => ({ ...row, at: row.at.getTime() })))
}
