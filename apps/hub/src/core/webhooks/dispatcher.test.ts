/** The whole way: the bus, a lane for each webhook, the clock of the hub. Nothing here sends by hand. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { log, type Program, person, program } from '../../testing/bus-program'
import { answered, Receiver } from '../../testing/outbound/receiver'
import { ana, ben, TestHub, vic } from '../../testing/test-hub'
import type { Actor } from '../access/access'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const url = 'https://one.example/'
const other = 'https://two.example/'

describe('the hub', () => {
  let now: number
  let receiver: Receiver
  let hub: TestHub
  let worker: Program
  beforeEach(async () => {
    now = 1_795_000_000_000
    receiver = new Receiver()
    hub = await TestHub.start({ now: () => now, outbound: receiver })
    for (const { userId, role } of [ana, ben, vic]) await person(hub, userId, role)
    worker = await program(hub, ben.userId, 'worker')
  })
  afterEach(() => hub.stop())

  const hook = async (actor: Actor = ben, change: object = {}) => {
    const made = await hub.core.webhooks.make(
      actor,
      { url, topics: ['worker.**'], enabled: true, ...change },
      hub.key(),
    )
    return made.webhook.webhookId
  }
  const say = (...words: string[]) => worker.publish(...words.map((one) => log(worker.peerId, one)))
  const words = (url?: string) =>
    (url === undefined ? receiver.received : receiver.to(url)).map(
      ({ data }) => (data.data as { message: string }).message,
    )
  /** One second of the hub's clock, or more. */
  const pass = async (ms: number) => {
    now += ms
    await hub.core.tick()
  }
  const view = (webhookId: string, actor: Actor = ben) => hub.core.webhooks.get(actor, webhookId)
  const deliveries = async (webhookId: string, actor: Actor = ben) =>
    (await hub.core.webhooks.deliveries(actor, webhookId, { limit: 50 })).items
  const states = async (webhookId: string) => (await deliveries(webhookId)).map(({ state }) => state).reverse()
  const restarted = () => TestHub.start({ file: hub.store.file, now: () => now, outbound: receiver })

  it('[HOOK-1.7] sends each message on its topics once, in the order of the bus, from when it was made on', async () => {
    await say('before')
    const webhookId = await hook()
    await worker.publish(log(worker.peerId, 'one'), log(worker.peerId, 'two'))
    await say('three')
    await receiver.until(3)
    expect(words()).toEqual(['one', 'two', 'three'])
    const [first] = receiver.received
    expect(first).toMatchObject({
      url,
      type: 'worker.event',
      data: { topic: `worker.${worker.peerId}.event`, from_peer: worker.peerId, offset: expect.any(Number) },
      headers: { 'content-type': 'application/json', 'webhook-timestamp': String(Math.floor(now / 1_000)) },
    })
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(3)
    await expect.poll(() => states(webhookId)).toEqual(['delivered', 'delivered', 'delivered'])
    expect(await view(webhookId)).toMatchObject({ deliveredAt: now, failingSince: null, waiting: null })
  })

  it('[HOOK-1.7] goes on where it stopped in another process, and sends nothing twice that it wrote down', async () => {
    await hook()
    await say('one')
    await receiver.until(1)
    await hub.crash()
    const again = await restarted()
    try {
      const [next] = [await program(again, ben.userId, 'worker')]
      await next.publish(log(next.peerId, 'two'))
      await again.core.tick()
      await receiver.until(2)
      expect(words()).toEqual(['one', 'two'])
    } finally {
      await again.crash()
      await again.store.close()
    }
  })

  it('[HOOK-3.6] waits for a receiver that fails, and sends the same message under the same id and then the others, in order', async () => {
    const webhookId = await hook()
    receiver.answer(url, answered(500))
    await say('one', 'two')
    await receiver.until(1)
    await expect.poll(() => view(webhookId)).toMatchObject({ waiting: { attempts: 1 }, failingSince: now })
    await pass(4_000)
    expect(receiver.received).toHaveLength(1)
    await pass(3_000)
    await receiver.until(2)
    receiver.answer(url, answered(200))
    await pass(MINUTE)
    await receiver.until(4)
    expect(words()).toEqual(['one', 'one', 'one', 'two'])
    const [a, b, c, d] = receiver.received
    expect([a?.id === b?.id, b?.id === c?.id, c?.id === d?.id]).toEqual([true, true, false])
    expect(new Set(receiver.received.slice(0, 3).map(({ body }) => body)).size).toBe(1)
    expect(b?.headers['webhook-timestamp']).not.toBe(c?.headers['webhook-timestamp'])
    await expect.poll(() => view(webhookId)).toMatchObject({ waiting: null, failingSince: null })
  })

  it('[HOOK-3.6] keeps its waits and its attempts through a restart', async () => {
    const webhookId = await hook()
    receiver.answer(url, answered(500))
    await say('one')
    await receiver.until(1)
    await expect.poll(async () => (await view(webhookId)).waiting?.attempts).toBe(1)
    await hub.crash()
    const again = await restarted()
    try {
      await again.core.tick()
      expect(receiver.received).toHaveLength(1)
      now += 7_000
      await again.core.tick()
      await receiver.until(2)
      await expect.poll(async () => (await again.core.webhooks.get(ben, webhookId)).waiting?.attempts).toBe(2)
      expect(receiver.received[1]?.id).toBe(receiver.received[0]?.id)
    } finally {
      await again.crash()
      await again.store.close()
    }
  })

  it('[HOOK-3.3] gives a message up after its day, keeps it in the log, and goes on with the next', async () => {
    const webhookId = await hook()
    receiver.answer(url, answered(503))
    await say('one')
    await receiver.until(1)
    now += 12 * HOUR
    await say('two')
    for (let attempts = 2; now < 1_795_000_000_000 + DAY; attempts += 1) {
      await pass(2 * HOUR)
      await receiver.until(attempts)
      await expect.poll(async () => (await deliveries(webhookId)).at(-1)?.attempts).toBe(attempts)
    }
    await expect.poll(async () => words().includes('two')).toBe(true)
    expect(words().lastIndexOf('one')).toBeLessThan(words().indexOf('two'))
    await expect.poll(() => states(webhookId)).toEqual(['failed', 'retrying'])
    receiver.answer(url, answered(200))
    await pass(2 * HOUR)
    await expect.poll(() => states(webhookId)).toEqual(['failed', 'delivered'])
  })

  it('[HOOK-1.8] one that hangs slows neither the others nor the bus', async () => {
    await hook(ben, { url: other })
    await hook()
    receiver.answer(other, 'hang')
    await say('one')
    await receiver.until(1, other)
    await say('two', 'three')
    await receiver.until(3, url)
    expect([words(url), words(other)]).toEqual([['one', 'two', 'three'], ['one']])
  })

  it('[HOOK-4.1] judges the rights of its person at each delivery: what they may not see is not sent', async () => {
    await person(hub, 'gus', 'operator')
    const stranger = await program(hub, 'gus', 'worker')
    await hook(vic, { topics: ['**'] })
    await hook(ana, { url: other, topics: ['worker.**'] })
    await stranger.publish(log(stranger.peerId, 'not for vic'))
    await say('for neither')
    await receiver.until(2, other)
    await pass(1_000)
    expect(receiver.to(url)).toEqual([])
  })

  it('[HOOK-4.1] reads rights, message and webhook again before each attempt: what was erased meanwhile is dropped', async () => {
    const webhookId = await hook()
    receiver.answer(url, answered(500))
    await say('one', 'two', 'three')
    await receiver.until(1)
    await expect.poll(async () => (await view(webhookId)).waiting?.attempts).toBe(1)
    await hub.store.prisma.busMessage.updateMany({ where: { data: { contains: '"one"' } }, data: { erased: true } })
    receiver.answer(url, answered(200))
    await pass(MINUTE)
    await receiver.until(3)
    expect(words()).toEqual(['one', 'two', 'three'])
    await expect.poll(() => states(webhookId)).toEqual(['dropped', 'delivered', 'delivered'])
  })

  it.each([
    ['on no topic of it any more', (w: string) => hub.core.webhooks.change(ben, w, { topics: ['task.**'] })],
    [
      'erased before the hub reads the bus anew',
      async (w: string) => {
        await hub.store.prisma.busMessage.updateMany({ data: { erased: true } })
        await hub.core.webhooks.change(ben, w, { url: other })
      },
    ],
  ])('[HOOK-4.1] waits no longer with a message that is %s', async (_what, ends) => {
    const webhookId = await hook()
    receiver.answer(url, answered(500))
    await say('one')
    await receiver.until(1)
    await expect.poll(async () => (await view(webhookId)).waiting?.attempts).toBe(1)
    await ends(webhookId)
    await pass(MINUTE)
    await expect.poll(() => view(webhookId)).toMatchObject({ enabled: true, waiting: null })
    expect([receiver.received.length, await states(webhookId)]).toEqual([1, ['dropped']])
  })

  it.each([
    ['whose role is lower now', { role: 'viewer' }, 'demoted'],
    ['who may not sign in', { banned: true }, 'owner'],
  ])('[HOOK-4.2] stops for a person %s, at once, and says so', async (_who, change, why) => {
    const webhookId = await hook()
    await hub.store.prisma.user.update({ where: { id: ben.userId }, data: change })
    await pass(1_000)
    expect((await hub.store.prisma.webhook.findMany())[0]).toMatchObject({ enabled: false, stopped: why })
    const [row] = (await hub.core.auditLog.page(ana, { limit: 1, action: 'webhook.stop' })).items
    expect([row?.actorId, row?.object, JSON.parse(row?.detail ?? '')]).toEqual([
      'hub',
      webhookId,
      { why, owner: ben.userId },
    ])
    await say('one').catch(() => {})
    await pass(1_000)
    expect(receiver.received).toEqual([])
  })

  it('[HOOK-4.2] that was stopped begins with what is said after its person turns it on again', async () => {
    const webhookId = await hook()
    await hub.core.webhooks.change(ben, webhookId, { enabled: false })
    await say('one')
    await pass(1_000)
    await hub.core.webhooks.change(ben, webhookId, { enabled: true })
    await say('two')
    await receiver.until(1)
    expect(words()).toEqual(['two'])
  })

  it('[HOOK-3.4] turns off a webhook whose receiver answers 410, and tries nothing more', async () => {
    const webhookId = await hook()
    receiver.answer(url, answered(410))
    await say('one', 'two')
    await receiver.until(1)
    await expect.poll(() => view(webhookId)).toMatchObject({ enabled: false, stopped: 'gone', waiting: null })
    await pass(DAY)
    expect(receiver.received).toHaveLength(1)
    expect(await states(webhookId)).toEqual(['failed'])
  })

  it('[HOOK-3.5] turns off a webhook to which nothing has arrived for five days', async () => {
    const webhookId = await hook()
    receiver.answer(url, answered(500))
    for (let day = 0; day < 6 && (await view(webhookId)).enabled; day += 1) {
      await say(`day ${day}`)
      const before = receiver.received.length
      await pass(1_000)
      await receiver.until(before + (day === 0 ? 0 : 1))
      for (let hour = 0; hour < 13; hour += 1) {
        await pass(2 * HOUR)
        await expect.poll(async () => ((await view(webhookId)).waiting?.nextAt ?? now + 1) > now).toBe(true)
      }
    }
    expect(await view(webhookId)).toMatchObject({ enabled: false, stopped: 'failing' })
    expect((await states(webhookId)).every((state) => state === 'failed')).toBe(true)
  })

  it('[HOOK-5.3] sends a ping when somebody tests it, before what waits and also while it is off, and once', async () => {
    const webhookId = await hook()
    receiver.answer(url, answered(500))
    await say('one')
    await receiver.until(1)
    const ping = await hub.core.webhooks.test(ben, webhookId, hub.key())
    expect(ping).toMatchObject({ kind: 'ping', state: 'waiting', asked: true, topic: null })
    await receiver.until(2)
    expect(receiver.received[1]).toMatchObject({ id: ping.deliveryId, type: 'ping', data: { webhook_id: webhookId } })
    const state = async () => (await deliveries(webhookId)).find(({ kind }) => kind === 'ping')
    await expect.poll(state).toMatchObject({ state: 'failed', asked: false, attempts: 1 })
    await hub.core.webhooks.change(ben, webhookId, { enabled: false })
    receiver.answer(url, answered(200))
    await hub.core.webhooks.test(ben, webhookId, hub.key())
    await receiver.until(3)
  })

  it('[HOOK-5.2] sends a message once more under the same id, and what waits for its turn at once', async () => {
    const webhookId = await hook()
    await say('one')
    await receiver.until(1)
    await expect.poll(() => states(webhookId)).toEqual(['delivered'])
    const [first] = await deliveries(webhookId)
    const again = { webhookId, deliveryId: first?.deliveryId ?? '' }
    const asked = await hub.core.webhooks.redeliver(ben, again, hub.key())
    expect(asked).toMatchObject({ asked: true, topic: `worker.${worker.peerId}.event` })
    await receiver.until(2)
    expect(receiver.received[1]?.id).toBe(receiver.received[0]?.id)
    await expect.poll(async () => (await deliveries(webhookId))[0]).toMatchObject({ attempts: 2, asked: false })
    receiver.answer(url, answered(500))
    await say('two')
    await receiver.until(3)
    await expect.poll(async () => (await view(webhookId)).waiting?.attempts).toBe(1)
    receiver.answer(url, answered(200))
    const waiting = { webhookId, deliveryId: (await view(webhookId)).waiting?.deliveryId ?? '' }
    await hub.core.webhooks.redeliver(ben, waiting, hub.key())
    await receiver.until(4)
    await expect.poll(() => states(webhookId)).toEqual(['delivered', 'delivered'])
  })

  it('[HOOK-5.2] sends nothing once more that is erased, or that its person may not see any more', async () => {
    const webhookId = await hook()
    await say('one', 'two')
    await receiver.until(2)
    await expect.poll(() => states(webhookId)).toEqual(['delivered', 'delivered'])
    const [two, one] = (await deliveries(webhookId)).map(({ deliveryId }) => ({ webhookId, deliveryId }))
    await hub.store.prisma.busMessage.updateMany({ where: { data: { contains: '"one"' } }, data: { erased: true } })
    await expect(hub.core.webhooks.redeliver(ben, one as never, hub.key())).rejects.toMatchObject({
      code: 'MESSAGE_GONE',
    })
    await hub.store.prisma.busMessage.updateMany({
      where: { data: { contains: '"two"' } },
      data: { userId: ana.userId },
    })
    await hub.core.webhooks.redeliver(ben, two as never, hub.key())
    await expect.poll(async () => (await deliveries(webhookId))[0]?.asked).toBe(false)
    expect(receiver.received).toHaveLength(2)
    expect((await deliveries(webhookId)).map(({ topic }) => topic !== null)).toEqual([true, false])
  })

  it('[HOOK-2.3] signs with both secrets for a day after a rotation', async () => {
    const webhookId = await hook()
    await hub.core.webhooks.rotate(ben, webhookId, hub.key())
    await say('one')
    await receiver.until(1)
    now += DAY
    await say('two')
    await receiver.until(2)
    const signatures = receiver.received.map(({ headers }) => headers['webhook-signature']?.split(' ').length)
    expect(signatures).toEqual([2, 1])
  })

  it('[HOOK-2.5] turns a webhook off whose secret it cannot open any more, and sends nothing unsigned', async () => {
    const webhookId = await hook()
    await hub.store.prisma.webhook.updateMany({ data: { secret: 'of another key' } })
    await say('one')
    await expect.poll(() => view(webhookId)).toMatchObject({ enabled: false, stopped: 'secret' })
    expect(receiver.received).toEqual([])
  })

  it('[HOOK-2.6] sends nothing a second time because it could not write the first down', async () => {
    const webhookId = await hook()
    const { record } = hub.store.webhooks
    let refused = 0
    hub.store.webhooks.record = async (step) => {
      if (refused++ < 3) throw new Error('no space')
      return record(step)
    }
    await say('one', 'two')
    await receiver.until(1)
    for (let n = 0; n < 4; n += 1) await pass(1_000)
    await receiver.until(2)
    expect(words()).toEqual(['one', 'two'])
    await expect.poll(() => states(webhookId)).toEqual(['delivered', 'delivered'])
    expect(hub.warnings.filter(({ message }) => message === 'a webhook could not be served')).toHaveLength(1)
  })

  it('[HOOK-5.4] forgets deliveries after 30 days', async () => {
    const webhookId = await hook()
    await say('one')
    await receiver.until(1)
    await expect.poll(() => states(webhookId)).toEqual(['delivered'])
    await pass(30 * DAY + 2 * MINUTE)
    expect(await states(webhookId)).toEqual([])
  })
})
