/** Webhooks inside a Prisma transaction. */
import type { DeliveryRow, WebhookRow, WebhookWrites } from '../../../core/ports/outbound/webhook-store'
import { writeList } from '../rows/json-lists'
import { type RawDelivery, type RawWebhook, toDelivery, toWebhook } from '../rows/webhook-rows'
import type { Tx } from './prisma-values'

const big = (value: number | null) => (value === null ? null : BigInt(value))
const bigOrAbsent = (value: number | null | undefined) => (value === undefined ? undefined : big(value))

export function prismaWebhookWrites(tx: Tx): WebhookWrites {
  return {
    async find(webhookId) {
      const row = await tx.webhook.findUnique({ where: { webhookId } })
      return row && toWebhook(row as RawWebhook)
    },
    count: async (userId) => ({
      own: await tx.webhook.count({ where: { userId } }),
      all: await tx.webhook.count(),
    }),
    newestOffset: async () => (await tx.busMessage.aggregate({ _max: { offset: true } }))._max.offset ?? 0,
    async insert({ topics, ...row }) {
      await tx.webhook.create({
        data: { ...row, ...times(row), topics: writeList(topics), createdAt: BigInt(row.createdAt) },
      })
    },
    async update(webhookId, { topics, ...change }) {
      const data = { ...change, ...times(change), ...(topics ? { topics: writeList(topics) } : {}) }
      await tx.webhook.updateMany({ where: { webhookId }, data })
    },
    async delete(webhookId) {
      await tx.webhookDelivery.deleteMany({ where: { webhookId } })
      await tx.webhook.deleteMany({ where: { webhookId } })
    },
    async findDelivery(webhookId, deliveryId) {
      const row = await tx.webhookDelivery.findFirst({ where: { webhookId, deliveryId } })
      if (!row) return null
      const { n: _, ...delivery } = row
      return toDelivery(delivery as RawDelivery)
    },
    async insertDelivery({ log, ...row }) {
      const data = { ...row, createdAt: BigInt(row.createdAt), nextAt: big(row.nextAt), askedAt: big(row.askedAt) }
      await tx.webhookDelivery.create({ data: { ...data, log: JSON.stringify(log) } })
    },
    async updateDelivery(deliveryId, change) {
      const data = { ...change, nextAt: bigOrAbsent(change.nextAt), askedAt: bigOrAbsent(change.askedAt) }
      await tx.webhookDelivery.updateMany({ where: { deliveryId }, data })
    },
    countAsked: (webhookId) => tx.webhookDelivery.count({ where: { webhookId, NOT: { askedAt: null } } }),
    async dropRetrying(webhookId) {
      const data = { state: 'dropped' satisfies DeliveryRow['state'], nextAt: null }
      await tx.webhookDelivery.updateMany({ where: { webhookId, state: 'retrying' }, data })
    },
    async retryNow(webhookId, now) {
      await tx.webhookDelivery.updateMany({ where: { webhookId, state: 'retrying' }, data: { nextAt: BigInt(now) } })
    },
  }
}

const times = ({ oldSecretUntil, failingSince, deliveredAt }: Partial<WebhookRow>) => ({
  oldSecretUntil: bigOrAbsent(oldSecretUntil),
  failingSince: bigOrAbsent(failingSince),
  deliveredAt: bigOrAbsent(deliveredAt),
})
