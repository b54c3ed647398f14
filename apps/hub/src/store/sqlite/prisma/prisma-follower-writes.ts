/** Cursors of followers, inside a Prisma transaction. */
import type { FollowerWrites } from '../../../core/ports/append-store'
import type { Tx } from './prisma-values'

export function prismaFollowerWrites(tx: Tx): FollowerWrites {
  return {
    async move(name, { position, seq }) {
      const place = { position, seq: BigInt(seq) }
      await tx.follower.upsert({ where: { name }, create: { name, ...place }, update: place })
    },
  }
}
