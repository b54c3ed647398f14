/** Chat channels inside a Prisma transaction. */
import { ChannelKind } from '@roundhouse/backend-types'
import type { ChannelLinkRow, LinkChange } from '../../../core/ports/channels/channel-rows'
import type { ChannelWrites } from '../../../core/ports/channels/channel-writes'
import { readSending, writeSending } from '../rows/channel-rows'
import { date, dateOrNull, type Tx } from './prisma-values'

type StoredLink = NonNullable<Awaited<ReturnType<Tx['channelLink']['findUnique']>>>

const toLink = (row: StoredLink): ChannelLinkRow => ({
  ...row,
  kind: ChannelKind.parse(row.kind),
  linkedAt: row.linkedAt.getTime(),
  seq: Number(row.seq),
  sending: readSending(row.sending),
})

const columns = ({ sending, ...change }: LinkChange) => ({
  ...change,
  ...(sending === undefined ? {} : { sending: writeSending(sending) }),
})

export function prismaChannelWrites(tx: Tx): ChannelWrites {
  return {
    async bot(kind) {
      const row = await tx.channelBot.findUnique({ where: { kind } })
      return row && { ...row, kind, setAt: row.setAt.getTime(), nextUpdate: Number(row.nextUpdate) }
    },
    async putBot({ kind, setAt, ...row }) {
      const data = { ...row, setAt: date(setAt) }
      await tx.channelBot.upsert({ where: { kind }, create: { kind, ...data }, update: data })
    },
    removeBot: async (kind) => (await tx.channelBot.deleteMany({ where: { kind } })).count === 1,
    async moveUpdates({ kind, botId }, next) {
      const where = { kind, botId, nextUpdate: { lt: next } }
      return (await tx.channelBot.updateMany({ where, data: { nextUpdate: next } })).count === 1
    },
    async putCode({ kind, userId, codeHash, expiresAt }) {
      const data = { codeHash, expiresAt: date(expiresAt) }
      const where = { kind_userId: { kind, userId } }
      await tx.channelCode.upsert({ where, create: { kind, userId, ...data }, update: data })
    },
    async takeCode(kind, codeHash, now) {
      const found = await tx.channelCode.findUnique({ where: { kind_codeHash: { kind, codeHash } } })
      if (!found) return null
      await tx.channelCode.delete({ where: { kind_codeHash: { kind, codeHash } } })
      return found.expiresAt.getTime() > now ? found.userId : null
    },
    removeCodes: async (kind) => (await tx.channelCode.deleteMany({ where: { kind } })).count,
    linksOf: async (kind, of) => (await tx.channelLink.findMany({ where: { kind, ...of } })).map(toLink),
    async insertLink({ linkedAt, sending, ...row }) {
      await tx.channelLink.create({ data: { ...row, linkedAt: date(linkedAt), sending: writeSending(sending) } })
    },
    async changeLink(linkId, change, from) {
      const data = columns(change)
      const where = { linkId, ...(from && { sessionId: from.sessionId, seq: from.seq }) }
      if (Object.keys(data).length === 0) return (await tx.channelLink.count({ where })) === 1
      return (await tx.channelLink.updateMany({ where, data })).count === 1
    },
    async addReply(linkId, body) {
      await tx.channelReply.create({ data: { linkId, body: JSON.stringify(body) } })
    },
    async removeReply(n) {
      await tx.channelReply.deleteMany({ where: { n } })
    },
    async addCard({ createdAt, closedAt, ...row }) {
      const { linkId, requestId } = row
      const data = { ...row, createdAt: date(createdAt), closedAt: dateOrNull(closedAt) }
      await tx.channelCard.upsert({ where: { linkId_requestId: { linkId, requestId } }, create: data, update: {} })
    },
    async changeCard(ref, { closedAt, ...change }) {
      const data = { ...change, ...(closedAt === undefined ? {} : { closedAt: dateOrNull(closedAt) }) }
      await tx.channelCard.updateMany({ where: { ref }, data })
    },
    async forgetCards(closedBefore) {
      await tx.channelCard.deleteMany({ where: { closedAt: { lt: date(closedBefore) } } })
    },
  }
}
