/** Trees of sessions inside a Prisma transaction. */
import type { TreeWrites } from '../../../core/ports/tree-store'
import { toTree } from '../rows/tree-rows'
import type { Tx } from './prisma-values'

const big = (value: number | null) => (value === null ? null : BigInt(value))

export function prismaTreeWrites(tx: Tx): TreeWrites {
  return {
    async node(sessionId) {
      const row = await tx.treeNode.findUnique({ where: { sessionId } })
      return row && { sessionId, parentId: row.parentId, rootId: row.rootId, depth: row.depth }
    },
    async tree(rootId) {
      const row = await tx.tree.findUnique({ where: { rootId } })
      return row && toTree(row)
    },
    countChildren: (parentId) => tx.treeNode.count({ where: { parentId } }),
    async insertNode(row, at) {
      await tx.treeNode.create({ data: { ...row, createdAt: BigInt(at) } })
      await tx.tree.updateMany({ where: { rootId: row.rootId }, data: { isOver: false } })
    },
    async put({ rootId, ...row }) {
      const data = { ...row, at: BigInt(row.at), stoppedAt: big(row.stoppedAt), isOver: false }
      await tx.tree.upsert({ where: { rootId }, create: { rootId, ...data }, update: data })
    },
    async close(rootId, below) {
      if ((await tx.treeNode.count({ where: { rootId } })) > below) return
      await tx.tree.updateMany({ where: { rootId }, data: { isOver: true } })
    },
    async remove(rootId) {
      await tx.tree.deleteMany({ where: { rootId } })
    },
    async spend(rootId, { costUsd, tokens }) {
      const data = { costUsd: { increment: costUsd }, tokens: { increment: tokens } }
      await tx.tree.updateMany({ where: { rootId }, data })
    },
    async insertRequest({ input, createdAt, dueAt, seq, ...row }) {
      const { sessionId } = row
      const data = { ...row, input: JSON.stringify(input), createdAt: BigInt(createdAt), dueAt: big(dueAt) }
      const where = { sessionId_seq: { sessionId, seq: BigInt(seq) } }
      await tx.treeRequest.upsert({ where, create: { ...data, seq: BigInt(seq) }, update: {} })
    },
    async removeRequest({ sessionId, seq }) {
      const { count } = await tx.treeRequest.deleteMany({ where: { sessionId, seq: BigInt(seq) } })
      return count > 0
    },
    async removeWaits(sessionId, before) {
      await tx.treeRequest.deleteMany({ where: { sessionId, seq: { lt: BigInt(before) }, dueAt: { not: null } } })
    },
  }
}
