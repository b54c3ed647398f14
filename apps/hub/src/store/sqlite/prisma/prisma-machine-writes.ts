/** Machines and their keys inside a Prisma transaction. */
import type { AgentRow, MachineWrites } from '../../../core/ports/machine-store'
import { readList, writeList } from '../rows/json-lists'
import { date, dateOrNull, millis, type Tx } from './prisma-values'

export function prismaMachineWrites(tx: Tx): MachineWrites {
  return {
    async find(agentId) {
      const row = await tx.agent.findUnique({ where: { agentId } })
      if (!row) return null
      const { createdAt, lastSeenAt, clonedAt, pausedAt, state, chains, roots, ...rest } = row
      return {
        ...rest,
        chains: readList(chains),
        roots: readList(roots),
        state: state as AgentRow['state'],
        createdAt: createdAt.getTime(),
        lastSeenAt: millis(lastSeenAt),
        clonedAt: millis(clonedAt),
        pausedAt: millis(pausedAt),
      }
    },
    async insert({ createdAt, lastSeenAt, clonedAt, pausedAt, chains, roots, ...row }) {
      const dates = {
        createdAt: date(createdAt),
        lastSeenAt: dateOrNull(lastSeenAt),
        clonedAt: dateOrNull(clonedAt),
        pausedAt: dateOrNull(pausedAt),
      }
      await tx.agent.create({ data: { ...row, ...dates, chains: writeList(chains), roots: writeList(roots) } })
    },
    async update(agentId, { createdAt: _, lastSeenAt, clonedAt, pausedAt, chains, roots, ...change }) {
      const dates = {
        ...(lastSeenAt === undefined ? {} : { lastSeenAt: dateOrNull(lastSeenAt) }),
        ...(clonedAt === undefined ? {} : { clonedAt: dateOrNull(clonedAt) }),
        ...(pausedAt === undefined ? {} : { pausedAt: dateOrNull(pausedAt) }),
      }
      const lists = { ...(chains && { chains: writeList(chains) }), ...(roots && { roots: writeList(roots) }) }
      await tx.agent.update({ where: { agentId }, data: { ...change, ...dates, ...lists } })
    },
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
  }
}
