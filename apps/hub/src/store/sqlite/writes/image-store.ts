/** The bytes of images, in parts of one size: raw statements, since each part is a short write behind the gate. */
import { IMAGE_CHUNK_BYTES } from '@roundhouse/backend-types'
import type { ImageRow, ImageStore } from '../../../core/ports/image-store'
import { coded } from '../file/coded-reads'
import type { Connection } from '../file/connections'
import type { GroupCommit } from '../file/group-commit'
import { pkOfSession } from '../rows/rows'

/** A part counts as this many events of a group commit: it is as heavy as a batch. */
const PART_WEIGHT = 64
const FORGOTTEN_AT_ONCE = 20

export function createImageStore(writer: Connection, reader: Connection, commits: GroupCommit): ImageStore {
  const insert = writer.prepare('INSERT INTO ImagePart (imageId, part, createdAt, data) VALUES (?, ?, ?, ?)')
  const dropParts = writer.prepare('DELETE FROM ImagePart WHERE imageId = ?')
  const drop = writer.prepare('DELETE FROM Image WHERE imageId = ? AND usedAt IS NULL')
  const find = reader.prepare<[string], ImageRow>(
    'SELECT imageId, sessionId, userId, mediaType, bytes, sha256, createdAt, usedAt FROM Image WHERE imageId = ?',
  )
  const part = reader.prepare<[string, number], { data: Buffer }>(
    'SELECT data FROM ImagePart WHERE imageId = ? AND part = ?',
  )
  const ofSession = reader.prepare<[string], { sum: number }>(
    `SELECT coalesce(sum(bytes), 0) AS sum FROM Image WHERE sessionPk = ${pkOfSession}`,
  )
  const unused = reader.prepare<[string], { sum: number; count: number }>(
    'SELECT coalesce(sum(bytes), 0) AS sum, count(*) AS count FROM Image WHERE userId = ? AND usedAt IS NULL',
  )
  const old = reader.prepare<[number], { imageId: string }>(
    'SELECT imageId FROM Image WHERE usedAt IS NULL AND createdAt < ?',
  )
  /** Of uploads that broke off before they had a row. */
  const left = reader.prepare<[number], { imageId: string }>(
    'SELECT DISTINCT imageId FROM ImagePart WHERE createdAt < ? AND imageId NOT IN (SELECT imageId FROM Image)',
  )

  const dropMany = (imageIds: readonly string[]) =>
    commits.run(PART_WEIGHT, () => {
      for (const imageId of imageIds) {
        // A prompt may bring it at this moment.
        const isGone = drop.run(imageId).changes > 0 || find.get(imageId) === undefined
        if (isGone) dropParts.run(imageId)
      }
    })

  return {
    async keep(imageId, bytes, at) {
      for (let from = 0; from < bytes.length; from += IMAGE_CHUNK_BYTES) {
        const data = Buffer.from(bytes.subarray(from, from + IMAGE_CHUNK_BYTES))
        await commits.run(PART_WEIGHT, () => insert.run(imageId, from / IMAGE_CHUNK_BYTES, at, data))
      }
    },
    drop: async (imageId) => void (await commits.run(PART_WEIGHT, () => dropParts.run(imageId))),
    find: coded((imageId) => find.get(imageId)),
    chunk: coded((imageId, from) => {
      const data = part.get(imageId, Math.floor(from / IMAGE_CHUNK_BYTES))?.data
      const rest = data?.subarray(from % IMAGE_CHUNK_BYTES)
      return rest && rest.length > 0 ? rest : undefined
    }),
    held: coded((sessionId, userId) => {
      const { sum = 0, count = 0 } = unused.get(userId) ?? {}
      const inSession = sessionId === null ? 0 : (ofSession.get(sessionId)?.sum ?? 0)
      return { ofSession: inSession, unused: sum, unusedCount: count }
    }),
    async forgetUnused(before) {
      const imageIds = [...old.all(before), ...left.all(before)].map(({ imageId }) => imageId)
      for (let from = 0; from < imageIds.length; from += FORGOTTEN_AT_ONCE)
        await dropMany(imageIds.slice(from, from + FORGOTTEN_AT_ONCE))
    },
  }
}
