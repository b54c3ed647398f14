/** Tokens of programs inside a Prisma transaction. */
import type { ApiTokenWrites } from '../../../core/ports/api-token-store'
import { writeList } from '../rows/json-lists'
import { date, dateOrNull, type Tx } from './prisma-values'

export function prismaApiTokenWrites(tx: Tx): ApiTokenWrites {
  return {
    async insert({ createdAt, expiresAt, lastUsedAt, scopes, ...row }) {
      const dates = { createdAt: date(createdAt), expiresAt: date(expiresAt), lastUsedAt: dateOrNull(lastUsedAt) }
      await tx.apiToken.create({ data: { ...row, ...dates, scopes: writeList(scopes) } })
    },
    delete: async (userId, tokenId) => (await tx.apiToken.deleteMany({ where: { userId, tokenId } })).count === 1,
    deleteAll: async (userId) => (await tx.apiToken.deleteMany({ where: { userId } })).count,
    async touch(tokenId, at) {
      await tx.apiToken.updateMany({ where: { tokenId }, data: { lastUsedAt: date(at) } })
    },
    async setScopes(tokenId, scopes) {
      await tx.apiToken.updateMany({ where: { tokenId }, data: { scopes: writeList(scopes) } })
    },
  }
}
