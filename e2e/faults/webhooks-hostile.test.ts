/** Somebody who may have a webhook, and wants more: into the hub's own network, into its memory, or at what is somebody else's. */

import type { AddressInfo } from 'node:net'
import { createServer, type Socket } from 'node:net'
import type { DeliveryView, WebhookMade, WebhookView } from '@roundhouse/backend-types'
import { afterAll, describe, expect, it } from 'vitest'
import { until } from '../support/common/until'
import { owner } from '../support/processes/hub-process'
import { turnedClock } from '../support/processes/turned-clock'
import { hubOfFile } from '../support/wire/hub-of-file'
import { hangs, WebhookReceiver } from '../support/wire/webhook-receiver'

const inside: Record<string, string[]> = {
  'v6.example': ['::1'],
  'mapped.example': ['::ffff:127.0.0.1'],
  'compatible.example': ['::127.0.0.1'],
  'nat64.example': ['64:ff9b::7f00:1'],
  'sixtofour.example': ['2002:7f00:1::'],
  'metadata.example': ['169.254.169.254'],
  'zero.example': ['0.0.0.0'],
  'lan.example': ['10.0.0.1'],
  'carrier.example': ['100.64.0.1'],
  'unique.example': ['fd00::1'],
  'first.example': ['127.0.0.1', '10.0.0.1'],
  'last.example': ['10.0.0.1', '127.0.0.1'],
}
const world = turnedClock({ ...inside, 'localhost.example': ['127.0.0.1'] })
const own = hubOfFile('webhooks-hostile', { env: { ...world.env, ROUNDHOUSE_OUTBOUND_NETWORKS: '127.0.0.0/8' } })
const { web } = own

const ends: (() => unknown)[] = []
afterAll(() => Promise.all(ends.map((end) => end())))
const receive = async () => {
  const receiver = await WebhookReceiver.start()
  ends.push(() => receiver.close())
  return receiver
}
/** A server that says these bytes to each connection that asks for something, and more as long as `more` says so. */
async function raw(says: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('data', () => says(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  ends.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

let keys = 0
const send = (method: string, target: string, body?: object, who: Record<string, string> = { login: own.login }) => {
  const headers = { ...web.json, ...who, 'idempotency-key': `hostile-${keys++}` }
  return web.ask(`/api/v1${target}`, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) })
}
const json = async <T>(...asked: Parameters<typeof send>): Promise<T> => JSON.parse((await send(...asked)).body)
const register = async (url: string, who?: Record<string, string>) =>
  (await json<WebhookMade>('POST', '/me/webhooks', { url, topics: ['worker.**'] }, who)).webhook.webhookId
const ping = (webhookId: string) => json<DeliveryView>('POST', `/me/webhooks/${webhookId}/test`)
const deliveries = async (webhookId: string) =>
  (await json<{ items: DeliveryView[] }>('GET', `/me/webhooks/${webhookId}/deliveries`)).items
const remove = (webhookId: string) => send('DELETE', `/me/webhooks/${webhookId}`)

/** What a test of a webhook at this address came to. */
async function outcomeOf(url: string): Promise<{ state: string; failure: string | null; status: number | null }> {
  const webhookId = await register(url)
  await ping(webhookId)
  const state = await until('the attempt to be noted', async () => {
    const [delivery] = await deliveries(webhookId)
    const last = delivery?.log.at(-1)
    return delivery && last && { state: delivery.state, failure: last.failure, status: last.status }
  })
  await remove(webhookId)
  return state
}

describe('a webhook that shall lead into the network of the hub', () => {
  it.each(Object.keys(inside))(
    '[HOOK-6.1] [HOOK-6.2] [A38] by the name %s is not sent, by either scheme',
    async (name) => {
      const receiver = await receive()
      for (const scheme of ['http', 'https'])
        expect(await outcomeOf(`${scheme}://${name}:${receiver.port}/`)).toMatchObject({ failure: 'address' })
      expect(receiver.arrived).toEqual([])
    },
  )

  const spelled = [
    'https://0xa9fea9fe/',
    'https://2852039166/',
    'https://0251.0376.0251.0376/',
    'https://169.254.169.254./',
    'https://①⑥⑨.②⑤④.169.254/',
    'https://[::ffff:169.254.169.254]/',
    'https://[::169.254.169.254]/',
    'https://[64:ff9b::a9fe:a9fe]/',
    'https://[2002:a9fe:a9fe::1]/',
    'https://[2001:0:a9fe:a9fe::1]/',
    'https://[fe80::1]/',
    'https://[::]/',
    'https://0/',
    'https://255.255.255.255/',
    'https://224.0.0.1/',
  ]
  it('[HOOK-6.1] [A38] is refused however its address is spelled, also by a change', async () => {
    const webhookId = await register('https://example.com/hook')
    for (const url of spelled) {
      expect([url, (await send('POST', '/me/webhooks', { url, topics: ['**'] })).code]).toEqual([
        url,
        'ADDRESS_NOT_ALLOWED',
      ])
      expect([url, (await send('PATCH', `/me/webhooks/${webhookId}`, { url })).code]).toEqual([
        url,
        'ADDRESS_NOT_ALLOWED',
      ])
    }
    expect((await json<WebhookView>('GET', `/me/webhooks/${webhookId}`)).url).toBe('https://example.com/hook')
    await remove(webhookId)
  })

  it('[HOOK-6.3] [A38] is refused with another scheme, a name and password, or the port of another protocol', async () => {
    const urls = [
      'file:///etc/passwd',
      'gopher://example.com/',
      'ws://127.0.0.1/',
      'unix:/var/run/docker.sock',
      'https://a@example.com/',
      'https://:b@example.com/',
      'https://example.com:22/',
      'https://example.com:25/',
      'https://example.com:6667/',
      'http://127.0.0.1:22/',
      'https://example.com:0/',
      'https://example.com/#part',
      'example.com',
    ]
    for (const url of urls)
      expect([url, (await send('POST', '/me/webhooks', { url, topics: ['**'] })).code]).toEqual([
        url,
        'ADDRESS_NOT_ALLOWED',
      ])
  })
})

describe('a receiver that answers with', () => {
  const head = 'HTTP/1.1 200 OK\r\n'
  const forever = (first: string, part: string) => (socket: Socket) => {
    socket.write(first)
    const more = () => {
      while (!socket.destroyed && socket.write(part));
      socket.once('drain', more)
    }
    more()
  }
  it.each<[string, (socket: Socket) => void, object]>([
    [
      'a body without end',
      forever(`${head}content-length: 99999999999\r\n\r\n`, 'x'.repeat(65_536)),
      { status: 200, failure: null },
    ],
    [
      'chunks without end',
      forever(`${head}transfer-encoding: chunked\r\n\r\n`, `1000\r\n${'x'.repeat(4096)}\r\n`),
      { status: 200, failure: null },
    ],
    ['headers without end', forever(head, `x-a: ${'x'.repeat(4_000)}\r\n`), { status: null, failure: 'closed' }],
    [
      'one byte and silence',
      (socket) => void socket.write(`${head}content-length: 10\r\n\r\nx`),
      { status: 200, failure: null },
    ],
    [
      'another protocol',
      (socket) =>
        void socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'),
      { status: null, failure: 'closed' },
    ],
    [
      'a redirect to the metadata of a cloud',
      (socket) => void socket.end('HTTP/1.1 308 X\r\nlocation: http://169.254.169.254/\r\ncontent-length: 0\r\n\r\n'),
      { status: 308, failure: 'redirect' },
    ],
    [
      'two answers',
      (socket) => void socket.end(`${head}content-length: 0\r\n\r\n${head}content-length: 0\r\n\r\n`),
      { status: 200, failure: null },
    ],
    ['no status', (socket) => void socket.end('HTTP/1.1 999999 X\r\n\r\n'), { status: null, failure: 'closed' }],
  ])(
    '[HOOK-6.4] %s has one noted outcome, and the hub goes on',
    async (_what, says, outcome) => {
      expect(await outcomeOf(await raw(says))).toMatchObject(outcome)
      const quick = await receive()
      expect(await outcomeOf(quick.url())).toMatchObject({ state: 'delivered' })
    },
    60_000,
  )

  it('[HOOK-5.3] nothing has twenty tests waiting at most', async () => {
    const receiver = await receive()
    receiver.answer = hangs
    const webhookId = await register(receiver.url())
    const codes = []
    for (let n = 0; n < 22; n += 1) codes.push((await send('POST', `/me/webhooks/${webhookId}/test`)).code)
    expect(codes.slice(0, 20)).toEqual(Array(20).fill(undefined))
    expect(codes.slice(20)).toContain('RATE_LIMITED')
    expect(receiver.arrived.length).toBeLessThanOrEqual(2)
    await remove(webhookId)
  })
})

describe('a webhook of somebody else', () => {
  it('[HOOK-1.2] is none on every route, by its own id and by the id of a delivery', async () => {
    const receiver = await receive()
    const webhookId = await register(receiver.url())
    const { deliveryId } = await ping(webhookId)
    await until('the ping', () => receiver.arrived.length === 1)
    const viewer = { login: await web.signIn(await web.addPerson('hooks-view', 'viewer')) }
    const mine = await register(receiver.url(), viewer)
    const asked: [string, string, object?][] = [
      ['GET', `/me/webhooks/${webhookId}`],
      ['PATCH', `/me/webhooks/${webhookId}`, { url: 'https://example.com/' }],
      ['DELETE', `/me/webhooks/${webhookId}`],
      ['POST', `/me/webhooks/${webhookId}/rotate`],
      ['POST', `/me/webhooks/${webhookId}/test`],
      ['GET', `/me/webhooks/${webhookId}/deliveries`],
      ['POST', `/me/webhooks/${webhookId}/deliveries/${deliveryId}/redeliver`],
      ['POST', `/me/webhooks/${mine}/deliveries/${deliveryId}/redeliver`],
    ]
    for (const [method, target, body] of asked)
      expect([method, target, (await send(method, target, body, viewer)).code]).toEqual([method, target, 'NOT_FOUND'])
    expect((await send('GET', '/webhooks', undefined, viewer)).code).toBe('FORBIDDEN')
    expect((await send('DELETE', `/webhooks/${webhookId}`, undefined, viewer)).code).toBe('FORBIDDEN')
    expect(JSON.stringify(await json('GET', '/me/webhooks', undefined, viewer))).not.toContain(webhookId)
    expect(receiver.arrived).toHaveLength(1)
    for (const row of await json<{ items: object[] }>('GET', '/webhooks').then(({ items }) => items))
      expect(JSON.stringify(row)).not.toContain('/hook"')
  })

  it('[HOOK-1.1] and one of my own are no matter of a program, whatever its token may', async () => {
    const webhookId = await register('https://example.com/hook')
    for (const scopes of [['read'], ['read', 'decide', 'operate', 'manage', 'worker', 'orchestrator']]) {
      const made = await send('POST', '/me/tokens', { name: `t${keys}`, scopes, ttlDays: 1, password: owner.password })
      expect([scopes, made.status]).toEqual([scopes, 201])
      const program = { authorization: `Bearer ${JSON.parse(made.body).token}` }
      const asked: [string, string, object?][] = [
        ['GET', '/me/webhooks'],
        ['POST', '/me/webhooks', { url: 'https://example.com/', topics: ['**'] }],
        ['PATCH', `/me/webhooks/${webhookId}`, { enabled: false }],
        ['POST', `/me/webhooks/${webhookId}/rotate`],
        ['GET', `/me/webhooks/${webhookId}/deliveries`],
        ['DELETE', `/me/webhooks/${webhookId}`],
        ['GET', '/webhooks'],
        ['DELETE', `/webhooks/${webhookId}`],
      ]
      for (const [method, target, body] of asked)
        expect([method, target, (await send(method, target, body, program)).code]).toEqual([
          method,
          target,
          'FORBIDDEN',
        ])
    }
    expect((await json<WebhookView>('GET', `/me/webhooks/${webhookId}`)).enabled).toBe(true)
  })
})

describe('a message that is sent again', () => {
  it('[HOOK-2.1] [HOOK-5.2] has the same id and body, and a new time under a new signature', async () => {
    const receiver = await receive()
    const webhookId = await register(receiver.url('localhost.example'))
    const { deliveryId } = await ping(webhookId)
    await until('the ping', async () => (await deliveries(webhookId))[0]?.state === 'delivered')
    world.turn(3_600_000)
    await send('POST', `/me/webhooks/${webhookId}/deliveries/${deliveryId}/redeliver`)
    await until('it to arrive again', () => receiver.arrived.length === 2)
    const [first, second] = receiver.arrived
    if (!first || !second) throw new Error('nothing arrived')
    expect([second.id, second.body]).toEqual([first.id, first.body])
    const age = Number(second.headers['webhook-timestamp']) - Number(first.headers['webhook-timestamp'])
    expect(age).toBeGreaterThanOrEqual(3_600)
    expect(second.headers['webhook-signature']).not.toBe(first.headers['webhook-signature'])
  })
})
