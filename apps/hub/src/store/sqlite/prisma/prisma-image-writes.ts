/** The rows of images inside a Prisma transaction. Their bytes are in parts (`image-store.ts`). */
import type { ImageRow, ImageWrites } from '../../../core/ports/image-store'
import { date, dateOrNull, millis, type Tx } from './prisma-values'
import type { SessionKeys } from './session-keys'

export function prismaImageWrites(tx: Tx, keys: SessionKeys): ImageWrites {
  return {
    async insert({ createdAt, usedAt, ...row }) {
      const sessionPk = row.sessionId === null ? null : await keys.pkOf(row.sessionId)
      await tx.image.create({ data: { ...row, sessionPk, createdAt: date(createdAt), usedAt: dateOrNull(usedAt) } })
    },
    async find(imageIds) {
      const rows = await tx.image.findMany({ where: { imageId: { in: [...imageIds] } } })
      return rows.map(({ sessionPk: _, mediaType, createdAt, usedAt, ...row }) => ({
        ...row,
        mediaType: mediaType as ImageRow['mediaType'],
        createdAt: createdAt.getTime(),
        usedAt: millis(usedAt),
      }))
    },
    async bring(imageIds, sessionId, at) {
      const sessionPk = await keys.pkOf(sessionId)
      const where = { imageId: { in: [...imageIds] }, usedAt: null }
      await tx.image.updateMany({ where, data: { sessionPk, sessionId, usedAt: date(at) } })
    },
  }
}
