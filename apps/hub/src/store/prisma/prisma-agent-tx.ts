/** Agents, enrollment tokens and the hub's own row inside a Prisma transaction. */
import type { AgentRow, TokenRow, WriteTx } from '../../core/ports/ports'
import { date, dateOrNull, millis, type Tx } from './prisma-values'

/** Ten wrong secrets burn a token, whether or not the right one comes afterwards. */
export const TOKEN_ATTEMPTS = 10

export function prismaAgentTx(tx: Tx) {
  return { ...agents(tx), ...keys(tx), ...tokens(tx), ...hub(tx) }
}

function agents(tx: Tx) {
  return {
    async findAgent(agentId) {
      const row = await tx.agent.findUnique({ where: { agentId } })
      if (!row) return null
      const { createdAt, lastSeenAt, clonedAt, pausedAt, state, ...rest } = row
      return {
        ...rest,
        state: state as AgentRow['state'],
        createdAt: createdAt.getTime(),
        lastSeenAt: millis(lastSeenAt),
        clonedAt: millis(clonedAt),
        pausedAt: millis(pausedAt),
      }
    },
    async insertAgent({ createdAt, lastSeenAt, clonedAt, pausedAt, ...row }) {
      const dates = {
        createdAt: date(createdAt),
        lastSeenAt: dateOrNull(lastSeenAt),
        clonedAt: dateOrNull(clonedAt),
        pausedAt: dateOrNull(pausedAt),
      }
      await tx.agent.create({ data: { ...row, ...dates } })
    },
    async updateAgent(agentId, { createdAt: _, lastSeenAt, clonedAt, pausedAt, ...change }) {
      const dates = {
        ...(lastSeenAt === undefined ? {} : { lastSeenAt: dateOrNull(lastSeenAt) }),
        ...(clonedAt === undefined ? {} : { clonedAt: dateOrNull(clonedAt) }),
        ...(pausedAt === undefined ? {} : { pausedAt: dateOrNull(pausedAt) }),
      }
      await tx.agent.update({ where: { agentId }, data: { ...change, ...dates } })
    },
  } satisfies Partial<WriteTx>
}

function keys(tx: Tx) {
  return {
    async isKeyKnown(publicKey) {
      const [used, retired] = [
        await tx.agent.count({ where: { publicKey } }),
        await tx.retiredKey.count({ where: { publicKey } }),
      ]
      return used + retired > 0
    },
    async retireKey({ retiredAt, ...key }) {
      await tx.retiredKey.create({ data: { ...key, retiredAt: date(retiredAt) } })
    },
    async retiredKeys(agentId) {
      return (await tx.retiredKey.findMany({ where: { agentId } })).map(({ publicKey }) => publicKey)
    },
  } satisfies Partial<WriteTx>
}

function tokens(tx: Tx) {
  return {
    async insertToken({ createdAt, expiresAt, usedAt, revokedAt, ...row }: TokenRow) {
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
    async findToken(tokenId) {
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
    async spendToken(tokenId, agentId, at) {
      const open = { usedAt: null, revokedAt: null, expiresAt: { gt: date(at) }, wrongAttempts: { lt: TOKEN_ATTEMPTS } }
      const { count } = await tx.enrollmentToken.updateMany({
        where: { tokenId, ...open },
        data: { usedAt: date(at), usedBy: agentId },
      })
      return count === 1
    },
    async countWrongAttempt(tokenId) {
      await tx.enrollmentToken.updateMany({ where: { tokenId }, data: { wrongAttempts: { increment: 1 } } })
    },
    async revokeTokensOf(createdBy, at) {
      const where = { createdBy, usedAt: null, revokedAt: null }
      await tx.enrollmentToken.updateMany({ where, data: { revokedAt: date(at) } })
    },
    async revokeToken(tokenId, at) {
      await tx.enrollmentToken.updateMany({ where: { tokenId, usedAt: null }, data: { revokedAt: date(at) } })
    },
  } satisfies Partial<WriteTx>
}

function hub(tx: Tx) {
  return {
    async requiresApproval() {
      const row = await tx.hubState.findUnique({ where: { id: 1 }, select: { requireApproval: true } })
      return row?.requireApproval ?? false
    },
    async setRequiresApproval(requireApproval) {
      await tx.hubState.update({ where: { id: 1 }, data: { requireApproval } })
    },
    async bumpRevocationVersion() {
      await tx.hubState.update({ where: { id: 1 }, data: { revocationVersion: { increment: 1 } } })
    },
    async changeHubEpoch(hubEpoch) {
      await tx.hubState.update({ where: { id: 1 }, data: { hubEpoch } })
    },
    async nextAuditHead() {
      const last = await tx.audit.findFirst({ orderBy: { id: 'desc' }, select: { id: true, hash: true } })
      if (!last || last.hash === '') return null
      const data = { auditHeads: { increment: 1 } }
      const { auditHeads } = await tx.hubState.update({ where: { id: 1 }, data, select: { auditHeads: true } })
      return { ...last, count: auditHeads }
    },
  } satisfies Partial<WriteTx>
}
