/** Second factors inside a Prisma transaction. The rows have the login library's form; `spentStep` is ours. */
import { randomUUID } from 'node:crypto'
import type { FactorTx } from '../../core/ports/factor-ports'
import type { Tx } from './prisma-values'

export function prismaFactorTx(tx: Tx): FactorTx {
  return { ...totp(tx), ...passkeys(tx) }
}

function totp(tx: Tx) {
  return {
    async findTotp(userId) {
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
    async endOtherLogins(userId, loginId) {
      const where = { userId, NOT: { id: loginId } }
      const others = await tx.authSession.findMany({ where, select: { id: true } })
      await tx.authSession.deleteMany({ where })
      const own = await tx.authSession.findMany({ where: { userId }, select: { keyId: true } })
      await tx.knownKey.deleteMany({ where: { userId, keyId: { notIn: own.map(({ keyId }) => keyId) } } })
      return others.map(({ id }) => id)
    },
  } satisfies Partial<FactorTx>
}

function passkeys(tx: Tx) {
  return {
    renamePasskey: async (userId, id, name) =>
      (await tx.passkey.updateMany({ where: { id, userId }, data: { name } })).count === 1,
    removePasskey: async (userId, id) => (await tx.passkey.deleteMany({ where: { id, userId } })).count === 1,
    removePasskeys: async (userId) => (await tx.passkey.deleteMany({ where: { userId } })).count,
  } satisfies Partial<FactorTx>
}
