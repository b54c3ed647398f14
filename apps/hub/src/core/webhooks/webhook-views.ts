/** Webhooks and deliveries as people see them. No secret is among it, sealed or not. */
import type { AnyWebhook, DeliveryView, WebhookView } from '@roundhouse/backend-types'
import type { DeliveredMessage, DeliveryRow, WebhookRow } from '../ports/outbound/webhook-store'

export function webhookView(row: WebhookRow, retrying: DeliveryRow | undefined, now: number): WebhookView {
  const { webhookId, url, topics, enabled, stopped, createdAt, deliveredAt, failingSince, oldSecretUntil } = row
  return {
    webhookId,
    url,
    topics: [...topics],
    enabled,
    stopped,
    createdAt,
    deliveredAt,
    failingSince,
    oldSecretUntil: oldSecretUntil !== null && oldSecretUntil > now ? oldSecretUntil : null,
    waiting: retrying
      ? { deliveryId: retrying.deliveryId, attempts: retrying.attempts, nextAt: retrying.nextAt ?? now }
      : null,
  }
}

export function anyWebhook({
  webhookId,
  userId,
  ownerName,
  url,
  topics,
  enabled,
  createdAt,
}: WebhookRow & { ownerName: string }): AnyWebhook {
  const host = URL.canParse(url) ? new URL(url).host : ''
  return { webhookId, ownerId: userId, ownerName, host, topics: [...topics], enabled, createdAt }
}

export function deliveryView(row: DeliveryRow, { topic, sessionId }: DeliveredMessage): DeliveryView {
  const { deliveryId, busOffset, state, askedAt, createdAt, nextAt, attempts, log } = row
  return {
    deliveryId,
    kind: busOffset === null ? 'ping' : 'message',
    state,
    asked: askedAt !== null,
    topic,
    offset: topic === null ? null : busOffset,
    sessionId,
    createdAt,
    nextAt,
    attempts,
    log: [...log],
  }
}
