/** The hub's own row, and the answers that a repeated write gets, inside a Prisma transaction. */
import type { AnswerWrites, HubWrites } from '../../../core/ports/hub-store'
import { readJson } from '../rows/json-objects'
import { date, type Tx } from './prisma-values'

export function prismaHubWrites(tx: Tx): HubWrites {
  return {
    async requiresApproval() {
      const row = await tx.hubState.findUnique({ where: { id: 1 }, select: { requireApproval: true } })
      return row?.requireApproval ?? false
    },
    async setRequiresApproval(requireApproval) {
      await tx.hubState.update({ where: { id: 1 }, data: { requireApproval } })
    },
    async bumpRevocationVersion() {
      await tx.hubState.update({ where: { id: 1 }, data: { revocationVersion: { increment: 1 } } })
    },
    async changeEpoch(hubEpoch) {
      await tx.hubState.update({ where: { id: 1 }, data: { hubEpoch } })
    },
  }
}

export function prismaAnswerWrites(tx: Tx): AnswerWrites {
  return {
    async find(scope, key) {
      const row = await tx.idempotency.findUnique({ where: { scope_key: { scope, key } } })
      return row && { bodyHash: row.bodyHash, answer: readJson(row.answer) }
    },
    async keep({ answer, createdAt, ...row }) {
      await tx.idempotency.create({ data: { ...row, answer: JSON.stringify(answer), createdAt: date(createdAt) } })
    },
    async forgetBefore(createdAt) {
      await tx.idempotency.deleteMany({ where: { createdAt: { lt: date(createdAt) } } })
    },
  }
}
