/** People inside a Prisma transaction. */
import { Role } from '@roundhouse/backend-types'
import type { PeopleWrites } from '../../../core/ports/people-store'
import { findStanding } from './prisma-standing'
import { date, type Tx } from './prisma-values'

export function prismaPeopleWrites(tx: Tx): PeopleWrites {
  return {
    standing: (of) => findStanding(tx, of),
    async find(userId) {
      const row = await tx.user.findUnique({ where: { id: userId }, select: { name: true, role: true } })
      return row && { userId, name: row.name, role: Role.safeParse(row.role).data ?? 'viewer' }
    },
    namesOfOthers: async (userId) =>
      (await tx.user.findMany({ where: { NOT: { id: userId } }, select: { name: true } })).map(({ name }) => name),
    hasEmail: async (email) => (await tx.user.count({ where: { email: email.toLowerCase() } })) > 0,
    countOwners: () => tx.user.count({ where: { role: 'owner', NOT: { banned: true } } }),
    async update(userId, change) {
      await tx.user.update({ where: { id: userId }, data: change })
    },
    async delete(userId) {
      await tx.apiToken.deleteMany({ where: { userId } })
      const hooks = await tx.webhook.findMany({ where: { userId }, select: { webhookId: true } })
      await tx.webhookDelivery.deleteMany({ where: { webhookId: { in: hooks.map(({ webhookId }) => webhookId) } } })
      await tx.webhook.deleteMany({ where: { userId } })
      await tx.machineShare.deleteMany({ where: { userId } })
      await tx.user.delete({ where: { id: userId } })
    },
    async setPassword(userId, password) {
      await tx.account.updateMany({ where: { userId, providerId: 'credential' }, data: { password } })
    },
    unlinkIdentity: async (userId) =>
      (await tx.account.deleteMany({ where: { userId, NOT: { providerId: 'credential' } } })).count > 0,
    async setShares(userId, agentIds, createdBy, at) {
      await tx.machineShare.deleteMany({ where: { userId } })
      const data = [...new Set(agentIds)].map((agentId) => ({ userId, agentId, createdBy, createdAt: date(at) }))
      await tx.machineShare.createMany({ data })
    },
    async replacePassword(userId, before, after) {
      const where = { userId, providerId: 'credential', password: before }
      return (await tx.account.updateMany({ where, data: { password: after } })).count === 1
    },
  }
}
