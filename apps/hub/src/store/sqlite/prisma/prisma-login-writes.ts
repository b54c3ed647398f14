/** Logins, their keys and unfinished sign-ins inside a Prisma transaction. */
import { Role } from '@roundhouse/backend-types'
import type { LoginWrites } from '../../../core/ports/login-store'
import { date, type Tx } from './prisma-values'

/** How many browser keys of each person are remembered: those that signed in last. */
const KNOWN_KEYS = 20

export function prismaLoginWrites(tx: Tx): LoginWrites {
  return {
    async basis(userId) {
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
    has: async (keyId) => (await tx.authSession.count({ where: { keyId } })) > 0,
    async insert({ loginId: id, tokenHash: token, createdAt, expiresAt, address, ...row }) {
      if ((await tx.authSession.count({ where: { keyId: row.keyId } })) > 0) return false
      const dates = { createdAt: date(createdAt), updatedAt: date(createdAt), expiresAt: date(expiresAt) }
      await tx.authSession.create({ data: { ...row, ...dates, id, token, ipAddress: address } })
      return true
    },
    async rememberKey({ keyId, ...row }, at) {
      const data = { ...row, lastAt: date(at) }
      await tx.knownKey.upsert({ where: { keyId }, create: { keyId, ...data }, update: data })
      const { userId } = row
      const older = await tx.knownKey.findMany({ where: { userId }, orderBy: { lastAt: 'desc' }, skip: KNOWN_KEYS })
      await tx.knownKey.deleteMany({ where: { keyId: { in: older.map((key) => key.keyId) } } })
    },
    async keepStep(keyId, step, expiresAt, now) {
      await tx.loginStep.deleteMany({ where: { expiresAt: { lt: date(now) } } })
      const data = { kind: step.kind, value: JSON.stringify(step), expiresAt: date(expiresAt) }
      await tx.loginStep.upsert({ where: { keyId }, create: { keyId, ...data }, update: data })
    },
    dropStep: async (keyId, step) =>
      (await tx.loginStep.deleteMany({ where: { keyId, value: JSON.stringify(step) } })).count === 1,
    async end(userId, id, { keepKey } = { keepKey: false }) {
      const login = await tx.authSession.findFirst({ where: { id, userId }, select: { keyId: true } })
      if (!login) return false
      await tx.authSession.delete({ where: { id } })
      if (!keepKey) await tx.knownKey.deleteMany({ where: login })
      return true
    },
    async endAll(userId) {
      await tx.authSession.deleteMany({ where: { userId } })
      await tx.knownKey.deleteMany({ where: { userId } })
    },
    async endOthers(userId, loginId) {
      const where = { userId, NOT: { id: loginId } }
      const others = await tx.authSession.findMany({ where, select: { id: true } })
      await tx.authSession.deleteMany({ where })
      const own = await tx.authSession.findMany({ where: { userId }, select: { keyId: true } })
      await tx.knownKey.deleteMany({ where: { userId, keyId: { notIn: own.map(({ keyId }) => keyId) } } })
      return others.map(({ id }) => id)
    },
  }
}
