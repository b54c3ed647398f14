/** Commands inside a Prisma transaction. */
import type { CommandWrites } from '../../../core/ports/command-store'
import { writeBody } from '../rows/command-rows'
import { date, dateOrNull, type Tx } from './prisma-values'

export function prismaCommandWrites(tx: Tx): CommandWrites {
  return {
    async insert(row) {
      await tx.command.create({
        data: {
          ...row,
          body: writeBody(row.body),
          createdAt: date(row.createdAt),
          expiresAt: dateOrNull(row.expiresAt),
        },
      })
    },
    async moveAll(from, to) {
      await tx.command.updateMany({ where: { state: from }, data: { state: to } })
    },
    async dismiss(sessionId, commandId) {
      const isOver = { notIn: ['pending', 'sent', 'accepted'] }
      const where = { sessionId, commandId, state: isOver }
      const { count } = await tx.command.updateMany({ where, data: { dismissed: true } })
      return count === 1
    },
    async cancelOfMachine(agentId) {
      await tx.command.updateMany({
        where: { agentId, state: { in: ['pending', 'sent'] } },
        data: { state: 'cancelled', errorCode: 'AGENT_REVOKED', errorMessage: 'The machine was revoked.' },
      })
    },
  }
}
