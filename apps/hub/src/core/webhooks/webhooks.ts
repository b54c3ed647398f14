/** What people do with webhooks. Each is its person's own; whoever manages people sees where all of them lead, and removes them. */
import {
  type AnyWebhooksList,
  CodedError,
  type DeliveriesPage,
  type DeliveriesQuery,
  type DeliveryView,
  type WebhookChange,
  type WebhookMade,
  type WebhookRequest,
  type WebhookRotated,
  type WebhooksList,
  type WebhookView,
  webhookLimits,
} from '@roundhouse/backend-types'
import { type Actor, requireCan, requireManages } from '../access/access'
import { entryOf } from '../audit/audit'
import type { BusApi } from '../bus/bus'
import { newId } from '../common/random'
import { ShownOnce } from '../common/shown-once'
import type { Outbound } from '../ports/outbound/outbound'
import type { SecretKeeper } from '../ports/outbound/secret-keeper'
import type { WebhookRow, WebhookStore, WebhookWrites } from '../ports/outbound/webhook-store'
import { type OnceDeps, once } from '../writes/once'
import type { PersonTx } from '../writes/write-as'
import { newPingId } from './payload'
import { DAY_MS } from './retry-table'
import { newSigningSecret } from './signature'
import { anyWebhook, deliveryView, webhookView } from './webhook-views'

export interface WebhooksDeps extends OnceDeps {
  bus: Pick<BusApi, 'at'>
  outbound: Pick<Outbound, 'refusal'>
  secretKeeper: SecretKeeper
  webhooks: WebhookStore
  /** There may be something to send. */
  changed: (webhookId: string) => void
}

/** Methods throw `NOT_FOUND` for a webhook of somebody else. */
export interface WebhooksApi {
  list(actor: Actor): Promise<WebhooksList>
  /** Throws `ADDRESS_NOT_ALLOWED`, or `WEBHOOKS_FULL`. */
  make(actor: Actor, request: WebhookRequest, idempotencyKey: string): Promise<WebhookMade>
  get(actor: Actor, webhookId: string): Promise<WebhookView>
  change(actor: Actor, webhookId: string, change: WebhookChange): Promise<WebhookView>
  remove(actor: Actor, webhookId: string, idempotencyKey: string): Promise<{ ok: true }>
  rotate(actor: Actor, webhookId: string, idempotencyKey: string): Promise<WebhookRotated>
  test(actor: Actor, webhookId: string, idempotencyKey: string): Promise<DeliveryView>
  deliveries(actor: Actor, webhookId: string, query: DeliveriesQuery): Promise<DeliveriesPage>
  /** Throws `MESSAGE_GONE` where the message is erased or too old. */
  redeliver(actor: Actor, of: { webhookId: string; deliveryId: string }, idempotencyKey: string): Promise<DeliveryView>
  all(actor: Actor): Promise<AnyWebhooksList>
  removeAny(actor: Actor, webhookId: string, idempotencyKey: string): Promise<{ ok: true }>
}

/** How long a repeat of the request may show a secret again. */
const SHOWN_MS = 10 * 60_000
/** How many deliveries of one webhook may wait for an attempt that somebody asked for. */
const MOST_ASKED = 20

export function createWebhooks(deps: WebhooksDeps): WebhooksApi {
  const { webhooks, now, secretKeeper, changed } = deps
  const shown = new ShownOnce(now)

  const ownOf = async (actor: Actor, webhookId: string): Promise<WebhookRow> => {
    const row = await webhooks.find(webhookId)
    if (row?.userId !== actor.userId) throw notFound()
    return row
  }
  const view = async (row: WebhookRow) =>
    webhookView(row, (await webhooks.retrying([row.webhookId])).get(row.webhookId), now())
  const withSecret = async (actor: Actor, webhookId: string, shownId: string) => {
    const webhook = await view(await ownOf(actor, webhookId))
    return { webhook, secret: shown.require(shownId, { webhookId }) }
  }
  const shownDelivery = async (deliveryId: string): Promise<DeliveryView> => {
    const row = await webhooks.delivery(deliveryId)
    if (!row) throw notFound()
    const message = row.busOffset === null ? undefined : await deps.bus.at(row.busOffset)
    return deliveryView(row, message ?? { topic: null, sessionId: null })
  }

  return {
    list: async (actor) => {
      requireCan(actor, 'session.read')
      const rows = await webhooks.ofPerson(actor.userId)
      const retrying = await webhooks.retrying(rows.map(({ webhookId }) => webhookId))
      return { items: rows.map((row) => webhookView(row, retrying.get(row.webhookId), now())) }
    },
    make: async (actor, request, key) => {
      requireCan(actor, 'session.read')
      requireAddress(deps, request.url)
      const secret = newSigningSecret()
      const sealed = await secretKeeper.seal(secret)
      const kept = await once(deps, { actor, route: 'webhook.make', key, body: request }, async (tx) => {
        const { own, all } = await tx.webhooks.count(actor.userId)
        if (own >= webhookLimits.perPerson || all >= webhookLimits.perHub) throw new CodedError('WEBHOOKS_FULL')
        const row = newWebhook(actor, request, sealed, now(), await tx.webhooks.newestOffset())
        const { webhookId } = row
        await tx.webhooks.insert(row)
        await tx.audit.append(entryOf(actor, 'webhook.make', webhookId, facts(request)), now())
        shown.keep(webhookId, secret, now() + SHOWN_MS)
        return { webhookId }
      })
      changed(kept.webhookId)
      return withSecret(actor, kept.webhookId, kept.webhookId)
    },
    get: async (actor, webhookId) => view(await ownOf(actor, webhookId)),
    change: async (actor, webhookId, change) => {
      if (change.url !== undefined) requireAddress(deps, change.url)
      await deps.writeAs(actor, async (tx) => {
        const row = await requireOwn(tx, actor, webhookId)
        await applyChange(tx.webhooks, row, change, actor, now())
        await tx.audit.append(entryOf(actor, 'webhook.change', webhookId, facts(change)), now())
      })
      changed(webhookId)
      return view(await ownOf(actor, webhookId))
    },
    remove: async (actor, webhookId, key) => {
      await once(deps, { actor, route: `webhook.remove ${webhookId}`, key, body: {} }, async (tx) => {
        await requireOwn(tx, actor, webhookId)
        await tx.webhooks.delete(webhookId)
        await tx.audit.append(entryOf(actor, 'webhook.remove', webhookId), now())
        return {}
      })
      changed(webhookId)
      return { ok: true }
    },
    rotate: async (actor, webhookId, key) => {
      const secret = newSigningSecret()
      const sealed = await secretKeeper.seal(secret)
      const shownId = `${webhookId} ${key}`
      await once(deps, { actor, route: `webhook.rotate ${webhookId}`, key, body: {} }, async (tx) => {
        const row = await requireOwn(tx, actor, webhookId)
        const old = { oldSecret: row.secret, oldSecretUntil: now() + DAY_MS }
        await tx.webhooks.update(webhookId, { secret: sealed, ...old })
        await tx.audit.append(entryOf(actor, 'webhook.rotate', webhookId), now())
        shown.keep(shownId, secret, now() + SHOWN_MS)
        return {}
      })
      changed(webhookId)
      return withSecret(actor, webhookId, shownId)
    },
    test: async (actor, webhookId, key) => {
      const { deliveryId } = await once(
        deps,
        { actor, route: `webhook.test ${webhookId}`, key, body: {} },
        async (tx) => {
          await requireOwn(tx, actor, webhookId)
          await requireRoom(tx, webhookId)
          const at = now()
          const times = { createdAt: at, nextAt: null, askedAt: at, attempts: 0, log: [] }
          const row = { deliveryId: newPingId(), webhookId, busOffset: null, state: 'waiting', ...times } as const
          await tx.webhooks.insertDelivery(row)
          await tx.audit.append(entryOf(actor, 'webhook.test', webhookId), at)
          return { deliveryId: row.deliveryId }
        },
      )
      changed(webhookId)
      return shownDelivery(deliveryId)
    },
    deliveries: async (actor, webhookId, { cursor, limit }) => {
      await ownOf(actor, webhookId)
      const rows = await webhooks.deliveries(webhookId, { before: readCursor(cursor), limit: limit + 1 })
      const items = rows.slice(0, limit)
      const next = rows.length > limit ? String(items.at(-1)?.n) : null
      return { items: items.map((row) => deliveryView(row, row)), next }
    },
    redeliver: async (actor, { webhookId, deliveryId }, key) => {
      await ownOf(actor, webhookId)
      const before = await webhooks.delivery(deliveryId)
      if (before?.webhookId !== webhookId) throw notFound()
      const isThere = before.busOffset === null || (await deps.bus.at(before.busOffset)) !== undefined
      if (!isThere) throw new CodedError('MESSAGE_GONE')
      await once(deps, { actor, route: `webhook.redeliver ${deliveryId}`, key, body: {} }, async (tx) => {
        await requireOwn(tx, actor, webhookId)
        const row = await tx.webhooks.findDelivery(webhookId, deliveryId)
        if (!row) throw notFound()
        // What still waits for its turn is tried in its turn, at once.
        if (row.state === 'retrying') await tx.webhooks.updateDelivery(deliveryId, { nextAt: now() })
        else if (row.askedAt === null) {
          await requireRoom(tx, webhookId)
          await tx.webhooks.updateDelivery(deliveryId, { askedAt: now() })
        }
        await tx.audit.append(entryOf(actor, 'webhook.redeliver', webhookId, { deliveryId }), now())
        return {}
      })
      changed(webhookId)
      return shownDelivery(deliveryId)
    },
    all: async (actor) => {
      requireCan(actor, 'user.manage')
      return { items: (await webhooks.all()).map(anyWebhook) }
    },
    removeAny: async (actor, webhookId, key) => {
      requireCan(actor, 'user.manage')
      await once(deps, { actor, route: `webhook.remove_any ${webhookId}`, key, body: {} }, async (tx) => {
        const row = await tx.webhooks.find(webhookId)
        if (!row) throw notFound()
        const { userId: owner } = row
        if (owner !== actor.userId) requireManages(actor, (await tx.people.find(owner))?.role ?? 'viewer')
        await tx.webhooks.delete(webhookId)
        await tx.audit.append(entryOf(actor, 'webhook.remove', webhookId, { owner }), now())
        return {}
      })
      changed(webhookId)
      return { ok: true }
    },
  }
}

const notFound = () => new CodedError('NOT_FOUND', 'Webhook not found.')

async function requireOwn(tx: PersonTx, actor: Actor, webhookId: string): Promise<WebhookRow> {
  const row = await tx.webhooks.find(webhookId)
  if (row?.userId !== actor.userId) throw notFound()
  return row
}

async function requireRoom(tx: PersonTx, webhookId: string): Promise<void> {
  if ((await tx.webhooks.countAsked(webhookId)) >= MOST_ASKED) throw new CodedError('RATE_LIMITED')
}

const refusals = {
  invalid: 'That is no address.',
  scheme: 'The hub sends by https only. By http it sends to networks that its operator named.',
  credentials: 'An address must not contain a name or a password.',
  port: 'The hub does not send to that port.',
  address: 'That address is in a network to which the hub does not send, unless its operator names it.',
} as const

function requireAddress({ outbound }: WebhooksDeps, url: string): void {
  const reason = outbound.refusal(url)
  if (reason) throw new CodedError('ADDRESS_NOT_ALLOWED', refusals[reason], { path: 'url', reason })
}

const newWebhook = (
  actor: Actor,
  { url, topics, enabled }: WebhookRequest,
  secret: string,
  createdAt: number,
  cursor: number,
): WebhookRow => ({
  webhookId: newId('whk'),
  userId: actor.userId,
  url,
  topics: [...new Set(topics)],
  enabled,
  stopped: null,
  role: actor.role,
  secret,
  oldSecret: null,
  oldSecretUntil: null,
  createdAt,
  cursor,
  failingSince: null,
  deliveredAt: null,
  life: 0,
})

/** One that is turned on begins with what is said from then on; at another address, what waits is tried at once. */
async function applyChange(
  writes: WebhookWrites,
  row: WebhookRow,
  { url, topics, enabled = row.enabled }: WebhookChange,
  actor: Actor,
  now: number,
): Promise<void> {
  const { webhookId } = row
  const isOther = url !== undefined && url !== row.url
  const begins = enabled && !row.enabled
  await writes.update(webhookId, {
    enabled,
    ...(url === undefined ? {} : { url }),
    ...(topics === undefined ? {} : { topics: [...new Set(topics)] }),
    ...(begins ? { stopped: null, role: actor.role, cursor: await writes.newestOffset() } : {}),
    ...(begins || isOther ? { failingSince: null, life: row.life + 1 } : {}),
  })
  if (!enabled) await writes.dropRetrying(webhookId)
  else if (isOther) await writes.retryNow(webhookId, now)
}

/** The path of an address may be a secret. */
function facts({ url, topics, enabled }: WebhookChange): Record<string, string | boolean> {
  return {
    ...(url === undefined ? {} : { host: new URL(url).host }),
    ...(topics === undefined ? {} : { topics: topics.join(' ').slice(0, 500) }),
    ...(enabled === undefined ? {} : { enabled }),
  }
}

function readCursor(cursor: string | undefined): number | null {
  if (cursor === undefined) return null
  if (!/^\d{1,15}$/.test(cursor)) throw new CodedError('INVALID_ARGUMENT', 'cursor: not one of ours')
  return Number(cursor)
}
