/** Machines and their keys inside a Prisma transaction. */
import type { AgentRow, MachineWrites } from '../../../core/ports/machine-store'
import { writeList } from '../rows/json-lists'
import { readMachine, readManifest, writeMachine } from '../rows/machine-rows'
import { readable } from '../rows/row-by-row'
import { date, dateOrNull, millis, type Tx } from './prisma-values'

export function prismaMachineWrites(tx: Tx): MachineWrites {
  return {
    async find(agentId) {
      const row = await tx.agent.findUnique({ where: { agentId } })
      if (!row) return null
      const { createdAt, lastSeenAt, clonedAt, pausedAt, state, ...rest } = row
      return {
        ...rest,
        ...readMachine({ ...row, manifest: null }),
        // One that cannot be read keeps nobody from revoking its machine.
        manifest: readable(() => readManifest(row.manifest)) ?? null,
        state: state as AgentRow['state'],
        createdAt: createdAt.getTime(),
        lastSeenAt: millis(lastSeenAt),
        clonedAt: millis(clonedAt),
        pausedAt: millis(pausedAt),
      }
    },
    async insert({ createdAt, lastSeenAt, clonedAt, pausedAt, chains, roots, manifest, ...row }) {
      const dates = {
        createdAt: date(createdAt),
        lastSeenAt: dateOrNull(lastSeenAt),
        clonedAt: dateOrNull(clonedAt),
        pausedAt: dateOrNull(pausedAt),
      }
      const texts = { chains: writeList(chains), roots: writeList(roots), ...writeMachine({ manifest }) }
      await tx.agent.create({ data: { ...row, ...dates, ...texts } })
    },
    async update(agentId, { createdAt: _, lastSeenAt, clonedAt, pausedAt, chains, roots, manifest, ...change }) {
      const dates = {
        ...(lastSeenAt === undefined ? {} : { lastSeenAt: dateOrNull(lastSeenAt) }),
        ...(clonedAt === undefined ? {} : { clonedAt: dateOrNull(clonedAt) }),
        ...(pausedAt === undefined ? {} : { pausedAt: dateOrNull(pausedAt) }),
      }
      const texts = writeMachine({
        ...(chains && { chains }),
        ...(roots && { roots }),
        ...(manifest !== undefined && { manifest }),
      })
      await tx.agent.update({ where: { agentId }, data: { ...change, ...dates, ...texts } })
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
