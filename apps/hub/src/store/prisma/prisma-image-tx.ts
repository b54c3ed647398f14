/** The rows of images inside a Prisma transaction. Their bytes are in parts (`image-store.ts`). */
import type { ImageRow, ImageTx } from '../../core/ports/image-ports'
import { date, dateOrNull, millis, type Tx } from './prisma-values'

export function prismaImageTx(tx: Tx): ImageTx {
  return {
    async insertImage({ createdAt, usedAt, ...row }) {
      await tx.image.create({ data: { ...row, createdAt: date(createdAt), usedAt: dateOrNull(usedAt) } })
    },
    async findImages(imageIds) {
      const rows = await tx.image.findMany({ where: { imageId: { in: [...imageIds] } } })
      return rows.map(({ mediaType, createdAt, usedAt, ...row }) => ({
        ...row,
        mediaType: mediaType as ImageRow['mediaType'],
        createdAt: createdAt.getTime(),
        usedAt: millis(usedAt),
      }))
    },
    async bringImages(imageIds, { pk: sessionPk, sessionId }, at) {
      const where = { imageId: { in: [...imageIds] }, usedAt: null }
      await tx.image.updateMany({ where, data: { sessionPk, sessionId, usedAt: date(at) } })
    },
  }
}
