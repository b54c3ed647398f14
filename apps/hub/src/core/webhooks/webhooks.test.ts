import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { person } from '../../testing/bus-program'
import { Receiver } from '../../testing/outbound/receiver'
import { ana, ben, TestHub, vic } from '../../testing/test-hub'
import type { Actor } from '../access/access'

const HOUR = 3_600_000
const url = 'https://example.com/secret-path'
const request = { url, topics: ['system.**'], enabled: true }

describe('a webhook', () => {
  let hub: TestHub
  let now: number
  beforeEach(async () => {
    now = 1_795_000_000_000
    hub = await TestHub.start({ now: () => now, outbound: new Receiver() })
    for (const { userId, role } of [ana, ben, vic]) await person(hub, userId, role)
  })
  afterEach(() => hub.stop())

  const make = (actor: Actor = ben, change: object = {}, key = hub.key()) =>
    hub.core.webhooks.make(actor, { ...request, ...change }, key)
  const audited = async () =>
    (await hub.core.auditLog.page(ana, { limit: 50, action: 'webhook' })).items.map(({ action, detail }) => [
      action,
      detail,
    ])

  it('[HOOK-1.1] is made with a secret that is shown once and sealed at rest, and a repeat makes no other', async () => {
    const made = await make(ben, {}, 'a-key-of-ben')
    expect(made.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(made.webhook).toEqual({
      webhookId: expect.stringMatching(/^whk_/),
      url,
      topics: ['system.**'],
      enabled: true,
      stopped: null,
      createdAt: now,
      deliveredAt: null,
      failingSince: null,
      oldSecretUntil: null,
      waiting: null,
    })
    expect(await make(ben, {}, 'a-key-of-ben')).toEqual(made)
    expect((await hub.core.webhooks.list(ben)).items).toEqual([made.webhook])
    const [row] = await hub.store.prisma.webhook.findMany()
    expect(row?.secret).toBe(`sealed:${made.secret}`)
    const answers = JSON.stringify(await hub.store.prisma.idempotency.findMany(), (_, v) =>
      typeof v === 'bigint' ? 0 : v,
    )
    expect(answers).not.toContain(made.secret)
    now += 11 * 60_000
    await expect(make(ben, {}, 'a-key-of-ben')).rejects.toMatchObject({ code: 'SHOWN_ONCE' })
    await expect(make(ben, { topics: ['task.**'] }, 'a-key-of-ben')).rejects.toMatchObject({
      code: 'IDEMPOTENCY_MISMATCH',
    })
  })

  it('[HOOK-1.2] is its person’s own: for everybody else there is none', async () => {
    const { webhookId } = (await make()).webhook
    const { webhooks } = hub.core
    const deeds = [
      () => webhooks.get(ana, webhookId),
      () => webhooks.change(ana, webhookId, { enabled: false }),
      () => webhooks.remove(ana, webhookId, hub.key()),
      () => webhooks.rotate(ana, webhookId, hub.key()),
      () => webhooks.test(ana, webhookId, hub.key()),
      () => webhooks.deliveries(ana, webhookId, { limit: 10 }),
      () => webhooks.redeliver(ana, { webhookId, deliveryId: 'msg_1' }, hub.key()),
    ]
    for (const deed of deeds) await expect(deed()).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect((await webhooks.list(ana)).items).toEqual([])
  })

  it('[HOOK-1.3] is seen by whoever manages people without its path, and removed by whoever manages its person', async () => {
    const { webhookId } = (await make(vic)).webhook
    await expect(hub.core.webhooks.all(ben)).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await expect(hub.core.webhooks.removeAny(ben, webhookId, hub.key())).rejects.toMatchObject({ code: 'FORBIDDEN' })
    expect((await hub.core.webhooks.all(ana)).items).toEqual([
      {
        webhookId,
        ownerId: vic.userId,
        ownerName: vic.userId,
        host: 'example.com',
        topics: ['system.**'],
        enabled: true,
        createdAt: now,
      },
    ])
    const admin: Actor = { ...ben, role: 'admin', agents: null }
    hub.people.set(admin.userId, admin)
    const ofOwner = (await make(ana)).webhook.webhookId
    await expect(hub.core.webhooks.removeAny(admin, ofOwner, hub.key())).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await hub.core.webhooks.removeAny(admin, webhookId, hub.key())
    expect((await hub.core.webhooks.all(ana)).items.map((one) => one.webhookId)).toEqual([ofOwner])
  })

  it('[HOOK-6] leads to no address that the hub does not send to: the refusal has a code and says why', async () => {
    const refused = { code: 'ADDRESS_NOT_ALLOWED', details: { path: 'url', reason: 'scheme' } }
    await expect(make(ben, { url: 'http://example.com/' })).rejects.toMatchObject(refused)
    const { webhookId } = (await make()).webhook
    await expect(hub.core.webhooks.change(ben, webhookId, { url: 'ftp://example.com/' })).rejects.toMatchObject(refused)
    expect((await hub.core.webhooks.get(ben, webhookId)).url).toBe(url)
  })

  it('[HOOK-1.4] is one of at most 20 of a person', async () => {
    for (let n = 0; n < 20; n += 1) await make()
    await expect(make()).rejects.toMatchObject({ code: 'WEBHOOKS_FULL' })
    await make(vic)
  })

  it('[HOOK-2.3] has two secrets for a day after another one was made, and then the new one alone', async () => {
    const first = await make()
    const { webhookId } = first.webhook
    const second = await hub.core.webhooks.rotate(ben, webhookId, 'rotate-once')
    expect(second.secret).not.toBe(first.secret)
    expect(second.webhook.oldSecretUntil).toBe(now + 24 * HOUR)
    expect(await hub.core.webhooks.rotate(ben, webhookId, 'rotate-once')).toEqual(second)
    const [row] = await hub.store.prisma.webhook.findMany()
    expect([row?.secret, row?.oldSecret]).toEqual([`sealed:${second.secret}`, `sealed:${first.secret}`])
    now += 24 * HOUR
    expect((await hub.core.webhooks.get(ben, webhookId)).oldSecretUntil).toBeNull()
  })

  it('[HOOK-1.5] leaves a row in the audit log for each change, with the host and never the path or the secret', async () => {
    const { webhook, secret } = await make()
    const { webhookId } = webhook
    await hub.core.webhooks.change(ben, webhookId, { enabled: false, url: 'https://example.org/other-secret' })
    await hub.core.webhooks.rotate(ben, webhookId, hub.key())
    await hub.core.webhooks.test(ben, webhookId, hub.key())
    await hub.core.webhooks.remove(ben, webhookId, hub.key())
    expect((await audited()).map(([action]) => action)).toEqual([
      'webhook.remove',
      'webhook.test',
      'webhook.rotate',
      'webhook.change',
      'webhook.make',
    ])
    const text = JSON.stringify(await audited())
    expect(text).toContain('example.org')
    expect(text).not.toMatch(/secret-path|other-secret|whsec/)
    expect(text).not.toContain(secret)
  })

  it('[HOOK-1.6] goes with its person, and so do its deliveries', async () => {
    const { webhookId } = (await make(vic)).webhook
    await hub.core.webhooks.test(vic, webhookId, hub.key())
    await hub.core.people.remove(ana, vic.userId, hub.key())
    const { prisma } = hub.store
    expect([await prisma.webhook.count(), await prisma.webhookDelivery.count()]).toEqual([0, 0])
  })

  it('[HOOK-5.1] tells of its deliveries page by page, the newest first', async () => {
    const { webhookId } = (await make(ben, { enabled: false })).webhook
    const made: string[] = []
    for (let n = 0; n < 5; n += 1) made.push((await hub.core.webhooks.test(ben, webhookId, hub.key())).deliveryId)
    const first = await hub.core.webhooks.deliveries(ben, webhookId, { limit: 3 })
    const second = await hub.core.webhooks.deliveries(ben, webhookId, { limit: 3, cursor: first.next ?? '' })
    expect([...first.items, ...second.items].map(({ deliveryId }) => deliveryId)).toEqual(made.reverse())
    expect(second.next).toBeNull()
    const odd = hub.core.webhooks.deliveries(ben, webhookId, { limit: 3, cursor: 'x' })
    await expect(odd).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  })
})
