/** Every store: webhooks, their places on the bus, and what was sent to them. */
import { describe, expect, it } from 'vitest'
import { DELIVERIES_KEPT, type DeliveryRow, type WebhookRow } from '../core/ports/outbound/webhook-store'
import type { StoreContext } from '../testing/store-context'

const hook = (webhookId: string, change: Partial<WebhookRow> = {}): WebhookRow => ({
  webhookId,
  userId: 'u_ana',
  url: 'https://example.com/',
  topics: ['system.**', 'worker.*.event'],
  enabled: true,
  stopped: null,
  role: 'operator',
  secret: 'sealed',
  oldSecret: null,
  oldSecretUntil: null,
  createdAt: 1,
  cursor: 0,
  failingSince: null,
  deliveredAt: null,
  life: 3,
  ...change,
})
const delivery = (deliveryId: string, change: Partial<DeliveryRow> = {}): DeliveryRow => ({
  deliveryId,
  webhookId: 'w_1',
  busOffset: 1,
  state: 'delivered',
  createdAt: 1_795_000_000_000,
  nextAt: null,
  askedAt: null,
  attempts: 1,
  log: [{ at: 5, tookMs: 3, status: 200, failure: null }],
  ...change,
})

export function webhooksSuite(context: StoreContext): void {
  describe('webhooks', () => {
    const add = (...rows: WebhookRow[]) =>
      context.write(async (tx) => {
        for (const row of rows) await tx.webhooks.insert(row)
      })
    const put = (row: DeliveryRow, cursor?: number) => {
      const { webhookId } = row
      return context.store.webhooks.record({ webhookId, delivery: row, ...(cursor === undefined ? {} : { cursor }) })
    }
    const ids = (rows: readonly { deliveryId: string }[]) => rows.map(({ deliveryId }) => deliveryId)

    it('come back as they were stored and changed, to their person and in a transaction, also from another process', async () => {
      const large = { oldSecret: 'older', oldSecretUntil: 1_795_000_000_000, failingSince: 7, deliveredAt: 8 }
      const [first, second] = [hook('w_1', large), hook('w_2', { createdAt: 2, enabled: false, stopped: 'gone' })]
      await add(second, first, hook('w_3', { userId: 'u_ben' }))
      expect(await context.store.webhooks.ofPerson('u_ana')).toEqual([first, second])
      const change = { topics: ['task.**'], enabled: false, stopped: 'demoted', failingSince: null, cursor: 9 } as const
      await context.write((tx) => tx.webhooks.update('w_1', change))
      expect(await context.write((tx) => tx.webhooks.find('w_1'))).toEqual({ ...first, ...change })
      await context.reopen()
      expect(await context.store.webhooks.find('w_1')).toEqual({ ...first, ...change })
      expect(await context.write((tx) => tx.webhooks.count('u_ana'))).toEqual({ own: 2, all: 3 })
      expect([
        await context.store.webhooks.find('nobody'),
        await context.write((tx) => tx.webhooks.find('nobody')),
      ]).toEqual([undefined, null])
    })

    it('[HOOK-1.7] have a place on the bus that never goes back, and what is sent is written with it', async () => {
      await add(hook('w_1', { cursor: 5 }))
      await put(delivery('msg_1'), 7)
      await context.store.webhooks.record({ webhookId: 'w_1', cursor: 6, failingSince: 3, deliveredAt: 4 })
      expect(await context.store.webhooks.find('w_1')).toMatchObject({ cursor: 7, failingSince: 3, deliveredAt: 4 })
      expect(await context.store.webhooks.delivery('msg_1')).toEqual(delivery('msg_1'))
      const changed = delivery('msg_1', { state: 'failed', attempts: 2, nextAt: 9, askedAt: 8, log: [] })
      await put(changed)
      expect(await context.store.webhooks.delivery('msg_1')).toEqual(changed)
      expect(await context.store.webhooks.deliveries('w_1', { before: null, limit: 9 })).toHaveLength(1)
    })

    it('that are gone take nothing more: what is on its way then leaves no row', async () => {
      await add(hook('w_1'))
      await put(delivery('msg_1'))
      await context.write((tx) => tx.webhooks.delete('w_1'))
      await put(delivery('msg_2'), 7)
      expect(await context.store.webhooks.delivery('msg_1')).toBeUndefined()
      expect(await context.store.webhooks.delivery('msg_2')).toBeUndefined()
    })

    it('are at work while they are on, or while somebody asked for a delivery', async () => {
      await add(hook('w_1'), hook('w_2', { enabled: false }), hook('w_3', { enabled: false }))
      await put(delivery('msg_2', { webhookId: 'w_2', askedAt: 4 }))
      await put(delivery('msg_3', { webhookId: 'w_2', askedAt: 3 }))
      expect((await context.store.webhooks.atWork()).sort()).toEqual(['w_1', 'w_2'])
      expect(await context.store.webhooks.asked('w_2')).toMatchObject({ deliveryId: 'msg_3' })
      expect(await context.store.webhooks.asked('w_1')).toBeUndefined()
      expect(await context.write((tx) => tx.webhooks.countAsked('w_2'))).toBe(2)
    })

    it('know which delivery is tried again, and try it at once or no more', async () => {
      await add(hook('w_1'), hook('w_2'))
      await put(delivery('msg_1', { state: 'retrying', nextAt: 99 }))
      await put(delivery('msg_2'))
      const retrying = () => context.store.webhooks.retrying(['w_1', 'w_2', 'nobody'])
      expect([...(await retrying()).keys()]).toEqual(['w_1'])
      await context.write((tx) => tx.webhooks.retryNow('w_1', 4))
      expect((await retrying()).get('w_1')?.nextAt).toBe(4)
      await context.write((tx) => tx.webhooks.dropRetrying('w_1'))
      expect(await retrying()).toEqual(new Map())
      const rows = await context.store.webhooks.deliveries('w_1', { before: null, limit: 9 })
      expect(rows.map(({ state, nextAt }) => [state, nextAt])).toEqual([
        ['delivered', null],
        ['dropped', null],
      ])
    })

    it('[HOOK-3.7] [HOOK-3.8] take nothing but the attempt from one that began in an earlier life', async () => {
      const { webhooks } = context.store
      await add(hook('w_1'))
      const sent = { ...delivery('msg_1', { state: 'retrying', nextAt: 7 }) }
      const failed = { webhookId: 'w_1', delivery: delivery('msg_1', { state: 'failed' }), cursor: 1, failingSince: 5 }
      await webhooks.record({ ...failed, began: { life: 2, delivery: sent } })
      expect(await webhooks.delivery('msg_1')).toEqual(sent)
      expect(await webhooks.find('w_1')).toEqual(hook('w_1'))
      await webhooks.record({ ...failed, began: { life: 3, delivery: sent } })
      expect(await webhooks.delivery('msg_1')).toEqual(failed.delivery)
      expect(await webhooks.find('w_1')).toEqual(hook('w_1', { cursor: 1, failingSince: 5 }))
    })

    it('[HOOK-4.1] try nothing again that their place has passed, nor what is before the message that waits', async () => {
      await add(hook('w_1'), hook('w_2'))
      const waits = { state: 'retrying', nextAt: 99 } as const
      for (const n of [3, 1, 2]) await put(delivery(`msg_${n}`, { ...waits, busOffset: n }))
      await put(delivery('msg_of_another', { ...waits, webhookId: 'w_2' }))
      const states = async (webhookId: string) =>
        Object.fromEntries(
          (await context.store.webhooks.deliveries(webhookId, { before: null, limit: 9 })).map((row) => [
            row.deliveryId,
            [row.state, row.nextAt],
          ]),
        )
      const [open, over] = [
        ['retrying', 99],
        ['dropped', null],
      ]
      expect(await states('w_1')).toEqual({ msg_1: over, msg_2: open, msg_3: open })
      await context.store.webhooks.record({ webhookId: 'w_1', cursor: 2 })
      expect(await states('w_1')).toEqual({ msg_1: over, msg_2: over, msg_3: open })
      expect(await states('w_2')).toEqual({ msg_of_another: open })
    })

    it('[HOOK-4.2] try nothing again that failed on its way while they were turned off, also after they are on again', async () => {
      await add(hook('w_1'))
      const waits = { state: 'retrying', nextAt: 99 } as const
      const row = async (id: string) => context.store.webhooks.delivery(id)
      await context.write((tx) => tx.webhooks.update('w_1', { enabled: false }))
      await put(delivery('msg_1', waits))
      expect(await row('msg_1')).toEqual(delivery('msg_1', { state: 'dropped' }))
      await context.write((tx) => tx.webhooks.update('w_1', { enabled: true, cursor: 2 }))
      await put(delivery('msg_2', { ...waits, busOffset: 2 }))
      expect(await row('msg_2')).toEqual(delivery('msg_2', { busOffset: 2, state: 'dropped' }))
      await put(delivery('msg_3', { ...waits, busOffset: 3 }))
      expect(await row('msg_3')).toMatchObject(waits)
    })

    it('show their deliveries page by page, the newest first, with the topic of a message that is there', async () => {
      await add(hook('w_1'), hook('w_2'))
      for (const n of [1, 2, 3]) await put(delivery(`msg_${n}`, { busOffset: n === 3 ? null : n }))
      await put(delivery('msg_4', { webhookId: 'w_2' }))
      const { webhooks } = context.store
      const first = await webhooks.deliveries('w_1', { before: null, limit: 2 })
      const second = await webhooks.deliveries('w_1', { before: first.at(-1)?.n ?? 0, limit: 2 })
      expect([ids(first), ids(second)]).toEqual([['msg_3', 'msg_2'], ['msg_1']])
      expect(first.map(({ topic }) => topic)).toEqual([null, null])
      const found = await context.write((tx) => tx.webhooks.findDelivery('w_1', 'msg_1'))
      expect(found).toEqual(delivery('msg_1'))
      expect(await context.write((tx) => tx.webhooks.findDelivery('w_2', 'msg_1'))).toBeNull()
    })

    it('[HOOK-5.4] forget what is old, and of one the oldest beyond what is kept, but nothing that is still to be sent', async () => {
      await add(hook('w_1'), hook('w_2'))
      await put(delivery('msg_old', { createdAt: 1 }))
      await put(delivery('msg_open', { createdAt: 1, state: 'retrying', nextAt: 2 }))
      await put(delivery('msg_asked', { createdAt: 1, askedAt: 2 }))
      await put(delivery('msg_of_another', { webhookId: 'w_2', createdAt: 5 }))
      const { webhooks } = context.store
      expect(await webhooks.forgetBefore(2, 10)).toBe(1)
      expect(ids(await webhooks.deliveries('w_1', { before: null, limit: 9 }))).toEqual(['msg_asked', 'msg_open'])
      await Promise.all(Array.from({ length: DELIVERIES_KEPT + 3 }, (_, n) => put(delivery(`m_${n}`))))
      expect(await webhooks.forgetBefore(2, 2)).toBe(2)
      expect(await webhooks.forgetBefore(2, 10)).toBe(1)
      expect(await webhooks.forgetBefore(2, 10)).toBe(0)
      const kept = await webhooks.deliveries('w_1', { before: null, limit: 2_000 })
      expect([kept.length, kept.at(-1)?.deliveryId, kept.at(-3)?.deliveryId]).toEqual([
        DELIVERIES_KEPT + 2,
        'msg_open',
        'm_3',
      ])
      expect(ids(await webhooks.deliveries('w_2', { before: null, limit: 9 }))).toEqual(['msg_of_another'])
    })
  })
}
