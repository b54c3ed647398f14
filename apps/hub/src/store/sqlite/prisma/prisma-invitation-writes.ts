/** Invitations inside a Prisma transaction. */
import { Role } from '@roundhouse/backend-types'
import type { InvitationWrites } from '../../../core/ports/invitation-store'
import { readList, writeList } from '../rows/json-lists'
import { date, dateOrNull, millis, type Tx } from './prisma-values'

/** Ten wrong secrets burn an invitation, whether or not the right one comes afterwards. */
const ATTEMPTS = 10

export function prismaInvitationWrites(tx: Tx): InvitationWrites {
  return {
    async insert({ createdAt, expiresAt, usedAt, revokedAt, agents, ...row }) {
      const dates = { createdAt: date(createdAt), expiresAt: date(expiresAt) }
      await tx.invitation.create({
        data: {
          ...row,
          ...dates,
          agents: writeList(agents),
          usedAt: dateOrNull(usedAt),
          revokedAt: dateOrNull(revokedAt),
        },
      })
    },
    async find(invitationId) {
      const row = await tx.invitation.findUnique({ where: { invitationId } })
      if (!row) return null
      return {
        ...row,
        agents: readList(row.agents),
        role: Role.safeParse(row.role).data ?? 'viewer',
        createdAt: row.createdAt.getTime(),
        expiresAt: row.expiresAt.getTime(),
        usedAt: millis(row.usedAt),
        revokedAt: millis(row.revokedAt),
      }
    },
    async spend(invitationId, at) {
      const open = { usedAt: null, revokedAt: null, expiresAt: { gt: date(at) }, wrongAttempts: { lt: ATTEMPTS } }
      const { count } = await tx.invitation.updateMany({
        where: { invitationId, ...open },
        data: { usedAt: date(at) },
      })
      return count === 1
    },
    async reopen(invitationId) {
      await tx.invitation.updateMany({ where: { invitationId }, data: { usedAt: null } })
    },
    async countWrong(invitationId) {
      await tx.invitation.updateMany({ where: { invitationId }, data: { wrongAttempts: { increment: 1 } } })
    },
    async revoke(invitationId, at) {
      await tx.invitation.updateMany({ where: { invitationId, revokedAt: null }, data: { revokedAt: date(at) } })
    },
    async openFor({ email, userId }) {
      const rows = await tx.invitation.findMany({ where: { userId, usedAt: null, revokedAt: null } })
      const same = userId === null ? rows.filter((row) => row.email.toLowerCase() === email.toLowerCase()) : rows
      return same.map(({ invitationId, role }) => ({ invitationId, role: Role.safeParse(role).data ?? 'viewer' }))
    },
    async revokeOf(userId, at) {
      const where = { OR: [{ createdBy: userId }, { userId }], revokedAt: null }
      await tx.invitation.updateMany({ where, data: { revokedAt: date(at) } })
    },
  }
}
