/** What is sent, and under which id. The same for every attempt. Pure. */
import { randomBytes } from 'node:crypto'
import type { BusMessage } from '@roundhouse/backend-types'
import { readTopic } from '@roundhouse/bus'
import { sha256 } from '../common/digests'
import type { BusRow } from '../ports/bus-store'
import type { DeliveryRow } from '../ports/outbound/webhook-store'

/**
 * By who said it and under which id, and not by its offset: a hub that was restored gives the offsets after its backup once more, to
 * other messages.
 */
export const deliveryIdOf = (webhookId: string, { fromPeer, messageId }: Pick<BusRow, 'fromPeer' | 'messageId'>) =>
  `msg_${sha256([webhookId, fromPeer, messageId].join(' ')).slice(0, 40)}`

export const newPingId = (): string => `msg_${randomBytes(20).toString('hex')}`

export function messageBody(message: BusMessage): string {
  return JSON.stringify({ type: typeOf(message.topic), timestamp: message.ts_server, data: message })
}

export function pingBody({ webhookId, createdAt }: Pick<DeliveryRow, 'webhookId' | 'createdAt'>): string {
  const timestamp = new Date(createdAt).toISOString()
  return JSON.stringify({ type: 'ping', timestamp, data: { webhook_id: webhookId } })
}

/** The topic without the names in it: `worker.event`, `system.turn.completed`. */
export function typeOf(topic: string): string {
  const parts = readTopic(topic)
  if (!parts || parts.space === 'system') return topic
  return parts.space === 'role' ? 'cmd.role' : `${parts.space}.${parts.name}`
}
