/** Rows of webhooks and deliveries between their columns and what the core knows. */
import { type DeliveryAttempt, Role } from '@roundhouse/backend-types'
import type { DeliveryRow, WebhookRow } from '../../../core/ports/outbound/webhook-store'
import { readList } from './json-lists'
import { readable } from './row-by-row'

type Stored<T, Large extends keyof T, Text extends keyof T> = Omit<T, Large | Text> & { [K in Text]: string } & {
  [K in Large]: number | bigint | Extract<T[K], null>
}

export type RawWebhook = Omit<
  Stored<WebhookRow, 'oldSecretUntil' | 'createdAt' | 'failingSince' | 'deliveredAt', 'topics' | 'role'>,
  'enabled' | 'stopped'
> & { enabled: number | boolean; stopped: string | null }

export type RawDelivery = Omit<Stored<DeliveryRow, 'createdAt' | 'nextAt' | 'askedAt', 'log'>, 'state'> & {
  state: string
}

const time = (value: number | bigint | null) => (value === null ? null : Number(value))

export const toWebhook = ({ topics, enabled, role, stopped, ...row }: RawWebhook): WebhookRow => ({
  ...row,
  topics: readList(topics),
  enabled: enabled === true || enabled === 1,
  stopped: stopped as WebhookRow['stopped'],
  // What is none of ours was the least.
  role: Role.safeParse(role).data ?? 'viewer',
  oldSecretUntil: time(row.oldSecretUntil),
  createdAt: Number(row.createdAt),
  failingSince: time(row.failingSince),
  deliveredAt: time(row.deliveredAt),
})

export const toDelivery = ({ log, state, ...row }: RawDelivery): DeliveryRow => ({
  ...row,
  state: state as DeliveryRow['state'],
  createdAt: Number(row.createdAt),
  nextAt: time(row.nextAt),
  askedAt: time(row.askedAt),
  // A damaged log is no reason to send nothing.
  log: readable(() => JSON.parse(log) as DeliveryAttempt[]) ?? [],
})
