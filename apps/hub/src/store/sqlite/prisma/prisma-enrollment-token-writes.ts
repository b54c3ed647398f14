/** Enrollment tokens inside a Prisma transaction. */
import type { EnrollmentTokenWrites } from '../../../core/ports/enrollment-token-store'
import { date, dateOrNull, millis, type Tx } from './prisma-values'

/** Ten wrong secrets burn a token, whether or not the right one comes afterwards. */
const TOKEN_ATTEMPTS = 10

export function prismaEnrollmentTokenWrites(tx: Tx): EnrollmentTokenWrites {
  return {
    async insert({ createdAt, expiresAt, usedAt, revokedAt, ...row }) {
      await tx.enrollmentToken.create({
        data: {
          ...row,
          createdAt: date(createdAt),
          expiresAt: date(expiresAt),
          usedAt: dateOrNull(usedAt),
          revokedAt: dateOrNull(revokedAt),
        },
      })
    },
    async find(tokenId) {
      const row = await tx.enrollmentToken.findUnique({ where: { tokenId } })
      if (!row) return null
      return {
        ...row,
        createdAt: row.createdAt.getTime(),
        expiresAt: row.expiresAt.getTime(),
        usedAt: millis(row.usedAt),
        revokedAt: millis(row.revokedAt),
      }
    },
    async spend(tokenId, agentId, at) {
      const open = { usedAt: null, revokedAt: null, expiresAt: { gt: date(at) }, wrongAttempts: { lt: TOKEN_ATTEMPTS } }
      const { count } = await tx.enrollmentToken.updateMany({
        where: { tokenId, ...open },
        data: { usedAt: date(at), usedBy: agentId },
      })
      return count === 1
    },
    async countWrong(tokenId) {
      await tx.enrollmentToken.updateMany({ where: { tokenId }, data: { wrongAttempts: { increment: 1 } } })
    },
    async revokeOf(createdBy, at) {
      const where = { createdBy, usedAt: null, revokedAt: null }
      await tx.enrollmentToken.updateMany({ where, data: { revokedAt: date(at) } })
    },
    async revoke(tokenId, at) {
      await tx.enrollmentToken.updateMany({ where: { tokenId, usedAt: null }, data: { revokedAt: date(at) } })
    },
  }
}
