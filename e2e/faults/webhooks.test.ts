/** Webhooks of the built hub, from outside: receivers on loopback, which its operator allows here, that hang, redirect, fail and come back. */
import { createHmac } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import path from 'node:path'
import type { DeliveryView, WebhookMade, WebhookView } from '@roundhouse/backend-types'
import { afterEach, describe, expect, it } from 'vitest'
import { freshFolder } from '../support/common/paths'
import { until } from '../support/common/until'
import { owner } from '../support/processes/hub-process'
import { turnedClock } from '../support/processes/turned-clock'
import { hubOfFile } from '../support/wire/hub-of-file'
import { hangs, status, WebhookReceiver } from '../support/wire/webhook-receiver'

const HOUR = 3_600_000
/** Where nothing is for a webhook, its place is written down this often. */
const KEPT_MS = 10_000
const world = turnedClock({ 'two.example': ['127.0.0.1', '10.9.9.9'], 'one.example': ['127.0.0.1'] })
const marks = freshFolder('webhook-marks')
const mark = path.join(marks, 'sent')
const points = { 'hub.webhook.afterSend.beforeRecord': { do: 'kill', while: `${mark}.armed`, mark } }
const own = hubOfFile('webhooks', {
  env: { ...world.env, ROUNDHOUSE_OUTBOUND_NETWORKS: '127.0.0.0/8', ROUNDHOUSE_FAILPOINTS: JSON.stringify(points) },
})
const { web, hub } = own

const receivers: WebhookReceiver[] = []
const made: string[] = []
afterEach(async () => {
  for (const webhookId of made.splice(0)) await send('DELETE', `/me/webhooks/${webhookId}`)
  for (const receiver of receivers.splice(0)) await receiver.close()
})
const receive = async () => {
  const receiver = await WebhookReceiver.start()
  receivers.push(receiver)
  return receiver
}

let keys = 0
const send = async (method: string, target: string, body?: object) => {
  const headers = { ...web.json, login: own.login, 'idempotency-key': `webhooks-${keys++}` }
  return web.ask(`/api/v1${target}`, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) })
}
const json = async <T>(method: string, target: string, body?: object): Promise<T> =>
  JSON.parse((await send(method, target, body)).body)
const register = async (url: string) => {
  const hook = await json<WebhookMade>('POST', '/me/webhooks', { url, topics: ['worker.**'] })
  made.push(hook.webhook.webhookId)
  return hook
}
const view = (webhookId: string) => json<WebhookView>('GET', `/me/webhooks/${webhookId}`)
const deliveries = async (webhookId: string) =>
  (await json<{ items: DeliveryView[] }>('GET', `/me/webhooks/${webhookId}/deliveries`)).items
const failureOf = async (webhookId: string) => (await deliveries(webhookId))[0]?.log.at(-1)

let said = 0
let peerId = ''
/** As the owner, who is a peer of the bus too. */
async function say(...words: string[]): Promise<void> {
  peerId ||= `u_${(await json<{ userId: string }>('GET', '/me')).userId}`
  const messages = words.map((message) => ({
    v: 1,
    id: `w-${said++}`,
    topic: `worker.${peerId}.event`,
    schema: 'worker-event-v1',
    data: { kind: 'LOG', severity: 'info', message },
  }))
  expect((await send('POST', '/events', { messages })).status).toBe(200)
}

describe('a webhook of the built hub', () => {
  it('[HOOK-2.1] is signed so that its receiver can check it, and a test arrives', async () => {
    const receiver = await receive()
    const { webhook, secret } = await register(receiver.url())
    await send('POST', `/me/webhooks/${webhook.webhookId}/test`)
    await until('the ping', () => receiver.arrived.length === 1)
    const [ping] = receiver.arrived
    if (!ping) throw new Error('nothing arrived')
    const { headers, body, type } = ping
    const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
    const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
    expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', key).update(content).digest('base64')}`)
    expect(type).toBe('ping')
    expect(JSON.stringify(await view(webhook.webhookId))).not.toContain(secret)
  })

  it('[HOOK-1.8] that hangs slows nobody but itself', async () => {
    const [slow, quick] = [await receive(), await receive()]
    slow.answer = hangs
    await register(slow.url())
    await register(quick.url())
    await say('one', 'two', 'three')
    await until('the other to have all', () => quick.arrived.length === 3)
    expect([quick.words, slow.words]).toEqual([['one', 'two', 'three'], ['one']])
  })

  it('[HOOK-2.4] [HOOK-6] that redirects to loopback is a failure, and nobody is asked there', async () => {
    const [target, receiver] = [await receive(), await receive()]
    receiver.answer = status(307, { location: target.url() })
    const { webhookId } = (await register(receiver.url())).webhook
    await say('one')
    await until('the attempt to be noted', async () => (await failureOf(webhookId)) !== undefined)
    expect(await failureOf(webhookId)).toMatchObject({ status: 307, failure: 'redirect' })
    expect(target.arrived).toEqual([])
  })

  it.each([
    ['two addresses, one of them private', 'two.example', 'address'],
    ['the one address that its operator allows', 'one.example', null],
  ])('[HOOK-6.2] whose name has %s', async (_what, host, failure) => {
    const receiver = await receive()
    const { webhookId } = (await register(receiver.url(host))).webhook
    await say('one')
    await until('the attempt to be noted', async () => (await failureOf(webhookId)) !== undefined)
    expect([(await failureOf(webhookId))?.failure, receiver.arrived.length]).toEqual([failure, failure ? 0 : 1])
  })

  it('[HOOK-6.1] [HOOK-6.3] is refused with a code where it may not lead', async () => {
    const urls = [
      'http://10.0.0.1/',
      'https://[::1]/',
      'https://169.254.169.254/',
      'ftp://a.example/',
      'https://a:b@c.example/',
    ]
    for (const url of urls)
      expect([url, (await send('POST', '/me/webhooks', { url, topics: ['**'] })).code]).toEqual([
        url,
        'ADDRESS_NOT_ALLOWED',
      ])
    const bad = await send('POST', '/me/webhooks', { url: 'https://a.example/', topics: ['a..b'] })
    expect(bad.code).toBe('INVALID_ARGUMENT')
  })

  it('[HOOK-3.2] that answers 429 is left alone for as long as it asks', async () => {
    const receiver = await receive()
    receiver.answer = status(429, { 'retry-after': '1800' })
    const { webhookId } = (await register(receiver.url())).webhook
    await say('one')
    const waiting = await until('it to wait', async () => (await view(webhookId)).waiting)
    const [tried] = (await deliveries(webhookId))[0]?.log ?? []
    expect(waiting.nextAt - (tried?.at ?? 0)).toBeGreaterThanOrEqual(1_800_000)
    receiver.answer = status(200)
    world.turn(HOUR)
    await until('it to arrive', () => receiver.arrived.length === 2)
  })

  it.each([
    ['answers 410', status(410)],
    ['asks for time', status(503, { 'retry-after': '3600' })],
  ])(
    '[HOOK-3.7] that leads elsewhere meanwhile is not judged by what the address before %s, and the new one gets the message at once',
    async (_what, late) => {
      const [before, now] = [await receive(), await receive()]
      const held: ServerResponse[] = []
      before.answer = (response) => held.push(response)
      const { webhookId } = (await register(before.url())).webhook
      await say('one')
      await until('the attempt', () => held.length === 1)
      expect((await send('PATCH', `/me/webhooks/${webhookId}`, { url: now.url() })).status).toBe(200)
      for (const response of held) late(response)
      await until('it to be noted', async () => (await deliveries(webhookId))[0]?.state === 'delivered')
      expect([before.words, now.words]).toEqual([['one'], ['one']])
      const fine = { enabled: true, stopped: null, failingSince: null, waiting: null }
      expect(await view(webhookId)).toMatchObject(fine)
    },
  )

  it('[HOOK-4.1] that wants the message no longer for which it waits passes it, and waits for nothing', async () => {
    const receiver = await receive()
    receiver.answer = status(500)
    const { webhookId } = (await register(receiver.url())).webhook
    await say('one')
    await until('it to wait', async () => (await view(webhookId)).waiting)
    expect((await send('PATCH', `/me/webhooks/${webhookId}`, { topics: ['task.**'] })).status).toBe(200)
    world.turn(HOUR)
    world.pass(KEPT_MS)
    await until('it to wait no longer', async () => (await view(webhookId)).waiting === null)
    expect((await deliveries(webhookId)).map(({ state }) => state)).toEqual(['dropped'])
    expect([(await view(webhookId)).enabled, receiver.words]).toEqual([true, ['one']])
  })

  it('[HOOK-3.6] whose receiver is away for an hour gets everything then, in order, each under its own id', async () => {
    const receiver = await receive()
    receiver.answer = status(500)
    const { webhookId } = (await register(receiver.url())).webhook
    await say('one', 'two', 'three')
    for (let passed = 0; passed < HOUR; passed += HOUR / 4) {
      const { attempts = 0 } = (await until('it to wait', async () => (await view(webhookId)).waiting)) ?? {}
      world.turn(HOUR / 4)
      await until('the next attempt', async () => {
        const { waiting } = await view(webhookId)
        return waiting !== null && (waiting.attempts > attempts || waiting.nextAt > Date.now() + HOUR / 4)
      })
    }
    receiver.answer = status(200)
    world.turn(HOUR)
    await until(
      'all to arrive',
      async () => (await view(webhookId)).waiting === null && receiver.words.includes('three'),
    )
    const order = [...new Set(receiver.words)]
    expect(order).toEqual(['one', 'two', 'three'])
    expect(receiver.words.filter((words) => words !== 'one')).toEqual(['two', 'three'])
    expect(new Set(receiver.arrived.map(({ id }) => id)).size).toBe(3)
  }, 60_000)
})

describe('a hub that is killed', () => {
  it('[HOOK-1.7] [HOOK-2.6] between sending and noting loses nothing, keeps the order, and repeats one id at most', async () => {
    const receiver = await receive()
    await register(receiver.url())
    writeFileSync(`${mark}.armed`, '')
    await say('one', 'two', 'three', 'four')
    await until('the hub to die', () => existsSync(mark))
    await hub.kill()
    await hub.start()
    own.login = await web.signIn(owner.email)
    await until('all to arrive', () => receiver.words.includes('four'))
    expect([...new Set(receiver.words)]).toEqual(['one', 'two', 'three', 'four'])
    const ids = receiver.arrived.map(({ id }) => id)
    expect([new Set(ids).size, ids.length]).toEqual([4, 5])
    const repeated = receiver.arrived.filter(({ id }, i) => ids.indexOf(id) !== i)
    const first = receiver.arrived.find(({ id }) => id === repeated[0]?.id)
    expect(repeated[0]?.body).toBe(first?.body)
  })
})
