/** Attempts and judgements that end after their webhook was changed: it was turned on again, or leads elsewhere. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { log, type Program, person, program } from '../../testing/bus-program'
import { answered, Receiver } from '../../testing/outbound/receiver'
import { SlowReads } from '../../testing/slow-reads'
import { ben, TestHub } from '../../testing/test-hub'
import type { Actor } from '../access/access'

const HOUR = 3_600_000
const url = 'https://one.example/'
const other = 'https://two.example/'

describe('a webhook that was changed while an attempt was under way', () => {
  const now = 1_795_000_000_000
  let slow: SlowReads
  let receiver: Receiver
  let hub: TestHub
  let worker: Program
  let webhookId: string
  beforeEach(async () => {
    slow = new SlowReads()
    receiver = new Receiver()
    hub = await TestHub.start({ now: () => now, outbound: receiver, slow })
    await person(hub, ben.userId, ben.role)
    worker = await program(hub, ben.userId, 'worker')
    const wanted = { url, topics: ['worker.**'], enabled: true }
    webhookId = (await hub.core.webhooks.make(ben, wanted, hub.key())).webhook.webhookId
  })
  afterEach(() => hub.stop())

  const say = (words: string) => worker.publish(log(worker.peerId, words))
  const words = (url: string) => receiver.to(url).map(({ data }) => (data.data as { message: string }).message)
  const view = () => hub.core.webhooks.get(ben, webhookId)
  const states = async () =>
    (await hub.core.webhooks.deliveries(ben, webhookId, { limit: 50 })).items.map(({ state }) => state).reverse()
  /** Until then the receiver does not answer. */
  const held = (outcome: ReturnType<typeof answered>) => {
    let release = () => {}
    receiver.answer(url, new Promise((resolve) => (release = () => resolve(outcome))))
    return () => release()
  }
  const turnOffAndOn = async (actor: Actor = ben) => {
    await hub.core.webhooks.change(actor, webhookId, { enabled: false })
    await hub.core.webhooks.change(actor, webhookId, { enabled: true })
  }

  it.each([
    ['answers 410', answered(410)],
    ['asks for time', answered(503, HOUR)],
  ])(
    '[HOOK-3.7] judges no address by what the one before %s, and sends to the new one at once',
    async (_what, outcome) => {
      const release = held(outcome)
      await say('one')
      await hub.core.webhooks.test(ben, webhookId, hub.key())
      await receiver.until(2)
      await hub.core.webhooks.change(ben, webhookId, { url: other })
      release()
      await receiver.until(1, other)
      await expect.poll(async () => (await states()).sort()).toEqual(['delivered', 'failed'])
      expect(await view()).toMatchObject({ enabled: true, stopped: null, failingSince: null, waiting: null })
      expect(words(other)).toEqual(['one'])
    },
  )

  it.each([
    ['fails', answered(500)],
    ['answers 410', answered(410)],
  ])('[HOOK-3.8] is on, and counts no failure, if the receiver of the life before %s', async (_what, outcome) => {
    const release = held(outcome)
    await say('one')
    await receiver.until(1)
    await turnOffAndOn()
    release()
    await expect.poll(states).toEqual(['dropped'])
    expect(await view()).toMatchObject({ enabled: true, stopped: null, failingSince: null, waiting: null })
    receiver.answer(url, answered(200))
    await say('two')
    await receiver.until(2)
    expect(words(url)).toEqual(['one', 'two'])
  })

  it('[HOOK-3.8] is not turned off for a role that its person had before they turned it on again', async () => {
    const become = async (role: Actor['role']) => {
      hub.people.set(ben.userId, { ...ben, role })
      await hub.store.prisma.user.update({ where: { id: ben.userId }, data: { role } })
    }
    await become('admin')
    await turnOffAndOn({ ...ben, role: 'admin' })
    await become('operator')
    slow.hold('people.standing')
    await say('one')
    await slow.waiting('people.standing')
    await turnOffAndOn()
    slow.letGo('people.standing')
    await say('two')
    await receiver.until(1)
    expect(words(url)).toEqual(['two'])
    expect(await view()).toMatchObject({ enabled: true, stopped: null })
  })
})
