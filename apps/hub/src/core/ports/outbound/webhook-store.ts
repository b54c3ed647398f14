/** The store of webhooks and of what is sent to them. Times are milliseconds. */
import type { DeliveryAttempt, DeliveryState, Role, WebhookStop } from '@roundhouse/backend-types'

export interface WebhookRow {
  webhookId: string
  userId: string
  url: string
  topics: readonly string[]
  enabled: boolean
  /** Why the hub turned it off. */
  stopped: WebhookStop | null
  /** The role that the person had when they turned it on. */
  role: Role
  /** Sealed, both. */
  secret: string
  oldSecret: string | null
  oldSecretUntil: number | null
  createdAt: number
  /** Messages up to this offset are settled: delivered, failed, or not for it. */
  cursor: number
  failingSince: number | null
  deliveredAt: number | null
  /** Grows when it is turned on again, and when it leads elsewhere. */
  life: number
}

export interface DeliveryRow {
  deliveryId: string
  webhookId: string
  /** Null: a ping. */
  busOffset: number | null
  state: DeliveryState
  createdAt: number
  nextAt: number | null
  askedAt: number | null
  attempts: number
  log: readonly DeliveryAttempt[]
}

/** Of the message of a delivery; null where it is no longer there. */
export interface DeliveredMessage {
  topic: string | null
  sessionId: string | null
}

/** `n` grows with each delivery. */
export type ShownDelivery = DeliveryRow & DeliveredMessage & { n: number }

/** What one attempt, or none, made of a delivery and its webhook. */
export interface DeliveryStep {
  webhookId: string
  /** Takes the place of the row with its id. Absent: only the cursor moves. */
  delivery?: DeliveryRow
  /** The cursor never goes back. */
  cursor?: number
  /** Absent: as before. */
  failingSince?: number | null
  deliveredAt?: number
  /** The life in which the attempt began. If the webhook has another one when this is written, only this delivery is written. */
  began?: { life: number; delivery: DeliveryRow }
}

/** How many deliveries of one webhook are kept: the newest. */
export const DELIVERIES_KEPT = 1_000

export interface WebhookStore {
  find(webhookId: string): Promise<WebhookRow | undefined>
  /** The oldest first. */
  ofPerson(userId: string): Promise<WebhookRow[]>
  all(): Promise<(WebhookRow & { ownerName: string })[]>
  /** Those that are on, and those with a delivery that somebody asked for. */
  atWork(): Promise<string[]>
  delivery(deliveryId: string): Promise<DeliveryRow | undefined>
  /** The deliveries that are tried again, by webhook. */
  retrying(webhookIds: readonly string[]): Promise<Map<string, DeliveryRow>>
  /** The one that was asked for first. */
  asked(webhookId: string): Promise<DeliveryRow | undefined>
  /** The newest first, of those before `before`. */
  deliveries(webhookId: string, page: { before: number | null; limit: number }): Promise<ShownDelivery[]>
  /**
   * In a group commit. Nothing is written for a webhook that is gone. What is tried again and lies before the webhook's place is
   * dropped, and so is what would be tried again by a webhook that is off.
   */
  record(step: DeliveryStep): Promise<void>
  /** Of those before this time, and beyond what is kept, at most so many. Returns how many are gone. */
  forgetBefore(time: number, most: number): Promise<number>
}

/** In a person's transaction. */
export interface WebhookWrites {
  find(webhookId: string): Promise<WebhookRow | null>
  /** How many webhooks this person has, and how many there are. */
  count(userId: string): Promise<{ own: number; all: number }>
  /** The newest offset of the bus: from there it begins. */
  newestOffset(): Promise<number>
  insert(row: WebhookRow): Promise<void>
  update(webhookId: string, change: Partial<Omit<WebhookRow, 'webhookId' | 'userId' | 'createdAt'>>): Promise<void>
  /** Also deletes its deliveries. */
  delete(webhookId: string): Promise<void>
  findDelivery(webhookId: string, deliveryId: string): Promise<DeliveryRow | null>
  insertDelivery(row: DeliveryRow): Promise<void>
  updateDelivery(deliveryId: string, change: Partial<Pick<DeliveryRow, 'state' | 'nextAt' | 'askedAt'>>): Promise<void>
  /** How many were asked for and are not sent. */
  countAsked(webhookId: string): Promise<number>
  /** What is tried again is tried no more. */
  dropRetrying(webhookId: string): Promise<void>
  /** What is tried again is tried at once. */
  retryNow(webhookId: string, now: number): Promise<void>
}
