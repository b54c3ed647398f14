/** Webhooks: addresses to which the hub sends messages of the bus for a person, signed as Standard Webhooks says. */
import { z } from 'zod'
import { TopicPattern } from '../bus/message'
import { Cursor, Id, Millis } from '../common/ids'

export const webhookLimits = {
  perPerson: 20,
  perHub: 200,
  patterns: 32,
  urlCharacters: 2_000,
} as const

/** Whether the hub sends there is its own to say (`ADDRESS_NOT_ALLOWED`). */
const Address = z.string().min(1).max(webhookLimits.urlCharacters)
const Topics = z.array(TopicPattern).min(1).max(webhookLimits.patterns)

/**
 * Why the hub turned one off: `gone` (410), `failing` (nothing arrived for days), `owner` (they may not sign in), `demoted` (their
 * role was lowered), `secret` (the hub lost the key of its secrets).
 */
export const WebhookStop = z.enum(['gone', 'failing', 'owner', 'demoted', 'secret'])
export type WebhookStop = z.infer<typeof WebhookStop>

export const WebhookRequest = z.object({ url: Address, topics: Topics, enabled: z.boolean().default(true) })
export type WebhookRequest = z.infer<typeof WebhookRequest>

/** What is absent stays as it is. One that is turned on begins with what is said from then on. */
export const WebhookChange = z.object({
  url: Address.optional(),
  topics: Topics.optional(),
  enabled: z.boolean().optional(),
})
export type WebhookChange = z.infer<typeof WebhookChange>

export const WebhookView = z.object({
  webhookId: Id,
  url: z.string(),
  topics: z.array(z.string()),
  enabled: z.boolean(),
  /** Null: the hub did not turn it off. */
  stopped: WebhookStop.nullable(),
  createdAt: Millis,
  /** When something arrived last. */
  deliveredAt: Millis.nullable(),
  /** Since when every attempt has failed. */
  failingSince: Millis.nullable(),
  /** Until then messages are signed with the secret before, too. */
  oldSecretUntil: Millis.nullable(),
  /** The message that everything behind it waits for. */
  waiting: z.object({ deliveryId: Id, attempts: z.number().int(), nextAt: Millis }).nullable(),
})
export type WebhookView = z.infer<typeof WebhookView>
export const WebhooksList = z.object({ items: z.array(WebhookView) })
export type WebhooksList = z.infer<typeof WebhooksList>

/** `secret` is shown this once. */
export const WebhookMade = z.object({ webhook: WebhookView, secret: z.string() })
export type WebhookMade = z.infer<typeof WebhookMade>
export const WebhookRotated = WebhookMade
export type WebhookRotated = WebhookMade

/** Whose it is and where it leads, for those who manage people. The path of an address may be a secret, so it is not here. */
export const AnyWebhook = z.object({
  webhookId: Id,
  ownerId: Id,
  ownerName: z.string(),
  host: z.string(),
  topics: z.array(z.string()),
  enabled: z.boolean(),
  createdAt: Millis,
})
export type AnyWebhook = z.infer<typeof AnyWebhook>
export const AnyWebhooksList = z.object({ items: z.array(AnyWebhook) })
export type AnyWebhooksList = z.infer<typeof AnyWebhooksList>

/**
 * Why nothing arrived: `answer` (a status other than 2xx), `redirect` (3xx, never followed), `address` (it is not one that the hub
 * sends to), `name` (it has no address), `connect`, `tls`, `timeout`, `closed` (without an answer).
 */
export const DeliveryFailure = z.enum(['answer', 'redirect', 'address', 'name', 'connect', 'tls', 'timeout', 'closed'])
export type DeliveryFailure = z.infer<typeof DeliveryFailure>

export const DeliveryAttempt = z.object({
  at: Millis,
  tookMs: z.number().min(0),
  /** Null: no answer. */
  status: z.number().int().nullable(),
  /** Null: it arrived. */
  failure: DeliveryFailure.nullable(),
})
export type DeliveryAttempt = z.infer<typeof DeliveryAttempt>

/** `waiting`: not tried yet. `dropped`: nobody wants it any more, its person may not see it, or it was erased. */
export const DeliveryState = z.enum(['waiting', 'retrying', 'delivered', 'failed', 'dropped'])
export type DeliveryState = z.infer<typeof DeliveryState>

export const DeliveryView = z.object({
  /** The `webhook-id` of every attempt. */
  deliveryId: Id,
  /** `ping`: by the test button. */
  kind: z.enum(['message', 'ping']),
  state: DeliveryState,
  /** Somebody asked for one more attempt, which comes now. */
  asked: z.boolean(),
  /** Of the message; null: it is erased, or too old, or a ping. */
  topic: z.string().nullable(),
  offset: Cursor.nullable(),
  /** The session that the message is about, or that says it; null as for `topic`, and where it is about none. */
  sessionId: Id.nullable(),
  createdAt: Millis,
  nextAt: Millis.nullable(),
  attempts: z.number().int(),
  /** The newest attempts, the oldest of them first. */
  log: z.array(DeliveryAttempt),
})
export type DeliveryView = z.infer<typeof DeliveryView>

/** The newest first. `next` goes back as `cursor`. */
export const DeliveriesQuery = z.object({
  cursor: z.string().max(20).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
})
export type DeliveriesQuery = z.infer<typeof DeliveriesQuery>
export const DeliveriesPage = z.object({ items: z.array(DeliveryView), next: z.string().nullable() })
export type DeliveriesPage = z.infer<typeof DeliveriesPage>
