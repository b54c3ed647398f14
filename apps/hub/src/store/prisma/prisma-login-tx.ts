/** Logins, their keys and unfinished sign-ins inside a Prisma transaction. */
import { Role } from '@roundhouse/backend-types'
import type { LoginTx } from '../../core/ports/login-ports'
import { date, millis, type Tx } from './prisma-values'

/** Of each person, the browsers that signed in last. */
const KNOWN_KEYS = 20
const WRONG_CODES = 10

export function prismaLoginTx(tx: Tx): LoginTx {
  return { ...logins(tx), ...keys(tx), ...steps(tx), ...secrets(tx) }
}

function logins(tx: Tx) {
  return {
    async findBasis(userId) {
      const accounts = { where: { providerId: 'credential' }, select: { password: true } }
      const user = await tx.user.findUnique({ where: { id: userId }, include: { accounts } })
      if (!user) return null
      return {
        name: user.name,
        role: Role.safeParse(user.role).data ?? 'viewer',
        banned: user.banned === true,
        passwordHash: user.accounts[0]?.password ?? null,
        codes: user.twoFactorEnabled === true,
      }
    },
    hasLogin: async (keyId) => (await tx.authSession.count({ where: { keyId } })) > 0,
    async insertLogin({ loginId: id, tokenHash: token, createdAt, expiresAt, address, ...row }) {
      if ((await tx.authSession.count({ where: { keyId: row.keyId } })) > 0) return false
      const dates = { createdAt: date(createdAt), updatedAt: date(createdAt), expiresAt: date(expiresAt) }
      await tx.authSession.create({ data: { ...row, ...dates, id, token, ipAddress: address } })
      return true
    },
  } satisfies Partial<LoginTx>
}

function keys(tx: Tx) {
  return {
    async rememberKey({ keyId, ...row }, at) {
      const data = { ...row, lastAt: date(at) }
      await tx.knownKey.upsert({ where: { keyId }, create: { keyId, ...data }, update: data })
      const { userId } = row
      const older = await tx.knownKey.findMany({ where: { userId }, orderBy: { lastAt: 'desc' }, skip: KNOWN_KEYS })
      await tx.knownKey.deleteMany({ where: { keyId: { in: older.map((key) => key.keyId) } } })
    },
  } satisfies Partial<LoginTx>
}

function steps(tx: Tx) {
  return {
    async keepStep(keyId, step, expiresAt, now) {
      await tx.loginStep.deleteMany({ where: { expiresAt: { lt: date(now) } } })
      const data = { kind: step.kind, value: JSON.stringify(step), expiresAt: date(expiresAt) }
      await tx.loginStep.upsert({ where: { keyId }, create: { keyId, ...data }, update: data })
    },
    dropStep: async (keyId, step) =>
      (await tx.loginStep.deleteMany({ where: { keyId, value: JSON.stringify(step) } })).count === 1,
  } satisfies Partial<LoginTx>
}

function secrets(tx: Tx) {
  return {
    async replacePassword(userId, before, after) {
      const where = { userId, providerId: 'credential', password: before }
      return (await tx.account.updateMany({ where, data: { password: after } })).count === 1
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
  } satisfies Partial<LoginTx>
}
