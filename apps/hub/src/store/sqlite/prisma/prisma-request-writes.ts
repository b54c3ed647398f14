/** Permission requests inside a Prisma transaction. They are decided by conditional updates: the count says who was first (PERM-1). */
import type { RequestWrites } from '../../../core/ports/request-store'
import { toRequest } from '../rows/request-rows'
import { date, millis, type Tx } from './prisma-values'

export function prismaRequestWrites(tx: Tx): RequestWrites {
  return {
    async find(requestId) {
      const row = await tx.request.findUnique({ where: { requestId } })
      if (!row) return null
      const { askedAt, expiresAt, decidedAt, resolvedSeq, decision, outcome, ...rest } = row
      return {
        ...toRequest(rest),
        askedAt: askedAt.getTime(),
        expiresAt: millis(expiresAt),
        decidedAt: millis(decidedAt),
        resolvedSeq: resolvedSeq === null ? null : Number(resolvedSeq),
        decision: decision as 'allow' | null,
        outcome: outcome as 'open',
      }
    },
    async decide(requestId, { decision, userId, userName, at, ...rest }) {
      const { count } = await tx.request.updateMany({
        where: { requestId, decision: null, outcome: 'open' },
        data: { ...rest, decision, decidedBy: userId, deciderName: userName, decidedAt: date(at) },
      })
      return count === 1
    },
    async emptyDecision(requestId, commandId) {
      const blank = { decision: null, decidedBy: null, deciderName: null, decidedAt: null, device: null, reason: null }
      const { count } = await tx.request.updateMany({
        where: { requestId, commandId, outcome: 'open' },
        data: { ...blank, commandId: null },
      })
      return count === 1
    },
    async orphanOfMachine(agentId) {
      await tx.request.updateMany({ where: { agentId, outcome: 'open' }, data: { outcome: 'orphaned' } })
    },
  }
}
