/** The audit log inside the very transaction whose deed a row tells of. One gate: no two rows follow one row. */
import { CHAIN_START, hashAfter, lastHash } from '../../../core/audit/audit-chain'
import type { AuditEntry, AuditWrites } from '../../../core/ports/audit-store'
import { date, type Tx } from './prisma-values'

export function prismaAuditWrites(tx: Tx): AuditWrites {
  return {
    append: (entry, at) => append(tx, entry, at),
    async nextHead() {
      const last = await tx.audit.findFirst({ orderBy: { id: 'desc' }, select: { id: true, hash: true } })
      if (!last || last.hash === '') return null
      const data = { auditHeads: { increment: 1 } }
      const { auditHeads } = await tx.hubState.update({ where: { id: 1 }, data, select: { auditHeads: true } })
      return { ...last, count: auditHeads }
    },
  }
}

/** The next row of the chain. */
async function append(tx: Tx, entry: AuditEntry, at: number): Promise<void> {
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
