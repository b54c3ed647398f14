/** People, invitations and tokens inside a Prisma transaction. */
import { Role } from '@roundhouse/backend-types'
import type { PeopleTx } from '../../core/ports/people-ports'
import { prismaStandingTx } from './prisma-standing-tx'
import { date, dateOrNull, millis, type Tx } from './prisma-values'

/** Ten wrong secrets burn an invitation, whether or not the right one comes afterwards. */
const ATTEMPTS = 10

export function prismaPeopleTx(tx: Tx): PeopleTx {
  return { ...prismaStandingTx(tx), ...people(tx), ...invitations(tx), ...tokens(tx) }
}

function people(tx: Tx) {
  return {
    async findPerson(userId) {
      const row = await tx.user.findUnique({ where: { id: userId }, select: { name: true, role: true } })
      return row && { userId, name: row.name, role: Role.safeParse(row.role).data ?? 'viewer' }
    },
    namesOfOthers: async (userId) =>
      (await tx.user.findMany({ where: { NOT: { id: userId } }, select: { name: true } })).map(({ name }) => name),
    hasEmail: async (email) => (await tx.user.count({ where: { email: email.toLowerCase() } })) > 0,
    countOwners: () => tx.user.count({ where: { role: 'owner', NOT: { banned: true } } }),
    async updatePerson(userId, change) {
      await tx.user.update({ where: { id: userId }, data: change })
    },
    async deletePerson(userId) {
      await tx.apiToken.deleteMany({ where: { userId } })
      await tx.machineShare.deleteMany({ where: { userId } })
      await tx.user.delete({ where: { id: userId } })
    },
    async setPassword(userId, password) {
      await tx.account.updateMany({ where: { userId, providerId: 'credential' }, data: { password } })
    },
    async endLogins(userId) {
      await tx.authSession.deleteMany({ where: { userId } })
      await tx.knownKey.deleteMany({ where: { userId } })
    },
    async endLogin(userId, id, { keepKey } = { keepKey: false }) {
      const login = await tx.authSession.findFirst({ where: { id, userId }, select: { keyId: true } })
      if (!login) return false
      await tx.authSession.delete({ where: { id } })
      if (!keepKey) await tx.knownKey.deleteMany({ where: login })
      return true
    },
    unlinkIdentity: async (userId) =>
      (await tx.account.deleteMany({ where: { userId, NOT: { providerId: 'credential' } } })).count > 0,
    async setShares(userId, agentIds, createdBy, at) {
      await tx.machineShare.deleteMany({ where: { userId } })
      const data = [...new Set(agentIds)].map((agentId) => ({ userId, agentId, createdBy, createdAt: date(at) }))
      await tx.machineShare.createMany({ data })
    },
  } satisfies Partial<PeopleTx>
}

function invitations(tx: Tx) {
  return {
    async insertInvitation({ createdAt, expiresAt, usedAt, revokedAt, ...row }) {
      const dates = { createdAt: date(createdAt), expiresAt: date(expiresAt) }
      await tx.invitation.create({
        data: { ...row, ...dates, usedAt: dateOrNull(usedAt), revokedAt: dateOrNull(revokedAt) },
      })
    },
    async findInvitation(invitationId) {
      const row = await tx.invitation.findUnique({ where: { invitationId } })
      if (!row) return null
      return {
        ...row,
        role: Role.safeParse(row.role).data ?? 'viewer',
        createdAt: row.createdAt.getTime(),
        expiresAt: row.expiresAt.getTime(),
        usedAt: millis(row.usedAt),
        revokedAt: millis(row.revokedAt),
      }
    },
    async spendInvitation(invitationId, at) {
      const open = { usedAt: null, revokedAt: null, expiresAt: { gt: date(at) }, wrongAttempts: { lt: ATTEMPTS } }
      const { count } = await tx.invitation.updateMany({
        where: { invitationId, ...open },
        data: { usedAt: date(at) },
      })
      return count === 1
    },
    async reopenInvitation(invitationId) {
      await tx.invitation.updateMany({ where: { invitationId }, data: { usedAt: null } })
    },
    async countWrongInvitation(invitationId) {
      await tx.invitation.updateMany({ where: { invitationId }, data: { wrongAttempts: { increment: 1 } } })
    },
    async revokeInvitation(invitationId, at) {
      await tx.invitation.updateMany({ where: { invitationId, revokedAt: null }, data: { revokedAt: date(at) } })
    },
    async openInvitationsFor({ email, userId }) {
      const rows = await tx.invitation.findMany({ where: { userId, usedAt: null, revokedAt: null } })
      const same = userId === null ? rows.filter((row) => row.email.toLowerCase() === email.toLowerCase()) : rows
      return same.map(({ invitationId, role }) => ({ invitationId, role: Role.safeParse(role).data ?? 'viewer' }))
    },
    async revokeInvitationsOf(userId, at) {
      const where = { OR: [{ createdBy: userId }, { userId }], revokedAt: null }
      await tx.invitation.updateMany({ where, data: { revokedAt: date(at) } })
    },
  } satisfies Partial<PeopleTx>
}

function tokens(tx: Tx) {
  return {
    async insertApiToken({ createdAt, expiresAt, lastUsedAt, ...row }) {
      const dates = { createdAt: date(createdAt), expiresAt: date(expiresAt), lastUsedAt: dateOrNull(lastUsedAt) }
      await tx.apiToken.create({ data: { ...row, ...dates } })
    },
    deleteApiToken: async (userId, tokenId) =>
      (await tx.apiToken.deleteMany({ where: { userId, tokenId } })).count === 1,
    deleteApiTokens: async (userId) => (await tx.apiToken.deleteMany({ where: { userId } })).count,
    async touchApiToken(tokenId, at) {
      await tx.apiToken.updateMany({ where: { tokenId }, data: { lastUsedAt: date(at) } })
    },
  } satisfies Partial<PeopleTx>
}
