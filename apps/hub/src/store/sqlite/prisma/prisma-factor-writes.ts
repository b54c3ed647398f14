/** Second factors inside a Prisma transaction. The rows have the login library's form; `spentStep` is ours. */
import { randomUUID } from 'node:crypto'
import type { FactorWrites } from '../../../core/ports/factor-store'
import { date, millis, type Tx } from './prisma-values'

const WRONG_CODES = 10

export function prismaFactorWrites(tx: Tx): FactorWrites {
  return {
    async totp(userId) {
      const row = await tx.twoFactor.findUnique({ where: { userId } })
      return row && { secret: row.secret, backupCodes: row.backupCodes, verified: row.verified === true }
    },
    async offerTotp(userId, sealed) {
      const row = { ...sealed, verified: false, failedVerificationCount: 0, lockedUntil: null, spentStep: null }
      await tx.twoFactor.upsert({ where: { userId }, create: { id: randomUUID(), userId, ...row }, update: row })
    },
    async enableTotp(userId) {
      await tx.twoFactor.update({ where: { userId }, data: { verified: true } })
      await tx.user.update({ where: { id: userId }, data: { twoFactorEnabled: true } })
    },
    async spendStep(userId, secret, step) {
      const unspent = { OR: [{ spentStep: null }, { spentStep: { lt: step } }] }
      const { count } = await tx.twoFactor.updateMany({
        where: { userId, secret, ...unspent },
        data: { spentStep: step },
      })
      return count === 1
    },
    async replaceBackupCodes(userId, before, after) {
      const where = { userId, backupCodes: before }
      return (await tx.twoFactor.updateMany({ where, data: { backupCodes: after } })).count === 1
    },
    async withdrawTotpOffer(userId) {
      await tx.twoFactor.deleteMany({ where: { userId, verified: false } })
    },
    async removeTotp(userId) {
      await tx.user.update({ where: { id: userId }, data: { twoFactorEnabled: false } })
      const { count } = await tx.twoFactor.deleteMany({ where: { userId } })
      return count === 1
    },
    async codesLockedUntil(userId) {
      const row = await tx.twoFactor.findUnique({ where: { userId }, select: { lockedUntil: true } })
      return millis(row?.lockedUntil ?? null)
    },
    async countWrongCode(userId, lockUntil) {
      const where = { userId }
      await tx.twoFactor.updateMany({ where, data: { failedVerificationCount: { increment: 1 } } })
      const locked = { lockedUntil: date(lockUntil), failedVerificationCount: 0 }
      await tx.twoFactor.updateMany({ where: { userId, failedVerificationCount: { gte: WRONG_CODES } }, data: locked })
    },
    async forgetWrongCodes(userId) {
      await tx.twoFactor.updateMany({ where: { userId }, data: { failedVerificationCount: 0, lockedUntil: null } })
    },
    renamePasskey: async (userId, id, name) =>
      (await tx.passkey.updateMany({ where: { id, userId }, data: { name } })).count === 1,
    removePasskey: async (userId, id) => (await tx.passkey.deleteMany({ where: { id, userId } })).count === 1,
    removePasskeys: async (userId) => (await tx.passkey.deleteMany({ where: { userId } })).count,
  }
}
