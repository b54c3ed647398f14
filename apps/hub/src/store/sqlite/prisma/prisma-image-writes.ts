/** The rows of images inside a Prisma transaction. Their bytes are in parts (`image-store.ts`). */
import type { ImageRow, ImageWrites } from '../../../core/ports/image-store'
import { date, dateOrNull, millis, type Tx } from './prisma-values'

export function prismaImageWrites(tx: Tx): ImageWrites {
  return {
    async insert({ createdAt, usedAt, ...row }) {
      await tx.image.create({ data: { ...row, createdAt: date(createdAt), usedAt: dateOrNull(usedAt) } })
    },
    async find(imageIds) {
      const rows = await tx.image.findMany({ where: { imageId: { in: [...imageIds] } } })
      return rows.map(({ mediaType, createdAt, usedAt, ...row }) => ({
        ...row,
        mediaType: mediaType as ImageRow['mediaType'],
        createdAt: createdAt.getTime(),
        usedAt: millis(usedAt),
      }))
    },
    async bring(imageIds, { pk: sessionPk, sessionId }, at) {
      const where = { imageId: { in: [...imageIds] }, usedAt: null }
      await tx.image.updateMany({ where, data: { sessionPk, sessionId, usedAt: date(at) } })
    },
  }
}
