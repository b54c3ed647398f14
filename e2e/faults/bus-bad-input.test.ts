/** Bad input for each frame of `/events` and each route of the bus, on the built hub: a coded answer, and the peer stays. And rows that are damaged. */
import type { ApiTokenScope, BusMessage } from '@roundhouse/backend-types'
import { createHubClient, HubRest, signIn, Transport } from '@roundhouse/hub-client'
import { afterAll, expect, it } from 'vitest'
import { until } from '../support/common/until'
import { HubFile } from '../support/damage/damage-hub'
import { owner } from '../support/processes/hub-process'
import { BusProgram } from '../support/wire/bus-program'
import { hubOfFile } from '../support/wire/hub-of-file'

const { hub, web } = hubOfFile('bus-bad-input')
let program: BusProgram | undefined
const open: BusProgram[] = []
afterAll(() => {
  for (const one of [program, ...open]) one?.close()
})

/** A program with a token of the person with this address. */
async function peer(email: string, ...scopes: ApiTokenScope[]) {
  const { rest, close } = createHubClient(await signIn(hub.url, email, owner.password))
  const made = await rest.makeToken({ name: scopes.join(' '), scopes, ttlDays: 1, password: owner.password })
  close()
  const headers = () => ({ authorization: `Bearer ${made.token}` })
  const own = new HubRest(new Transport({ baseUrl: hub.url, headers }))
  const publish = async (...messages: object[]) => {
    const { results } = await own.call('publishMessages', { body: { messages } })
    return results.map((result) => (result.ok ? 'ok' : result.error.code))
  }
  const read = async (pattern = '**') => {
    const all: BusMessage[] = []
    for (let after = 0; ; ) {
      const page = await own.call('listMessages', { query: { after, pattern, limit: 500 } })
      all.push(...page.items)
      after = page.next
      if (page.isEnd) return all
    }
  }
  const enter = async () => {
    const at = await BusProgram.open(hub.port, made.token)
    open.push(at)
    return at
  }
  return { ...made, peerId: `p_${made.tokenId}`, rest: own, publish, read, enter }
}
type Peer = Awaited<ReturnType<typeof peer>>

let said = 0
const message = (topic: string, schema: string, data: object) => ({ v: 1, id: `said-${++said}`, topic, schema, data })
const log = ({ peerId }: Pick<Peer, 'peerId'>, words: string) =>
  message(`worker.${peerId}.event`, 'worker-event-v1', { kind: 'LOG', severity: 'info', message: words })
const assign = (task: string, { peerId }: Peer) => message(`task.${task}.assign`, 'task-assign-v1', { peer_id: peerId })
const note = (task: string, words: string) => message(`task.${task}.note`, 'task-note-v1', { message: words })
const wordsOf = (messages: BusMessage[]) => messages.flatMap(({ data }) => (data.message ? [data.message] : []))
/** As much as a frame of the socket takes, about. */
const MEGABYTE = 'x'.repeat(1_048_576)
/** Of what a body of a request may have. */
const NEARLY = 'x'.repeat(990_000)

it('[BUS-3.4] [BUS-8.6] [BUS-8.11] each frame and each route answers what is wrong with a code; a repeat is one message; the peer stays and is served', async () => {
  const { rest, close } = await hub.client()
  const { password } = owner
  const { token, tokenId } = await rest.makeToken({ name: 'w', scopes: ['worker'], ttlDays: 1, password })
  close()
  const topic = `worker.p_${tokenId}.event`
  const words = (id: string, more: object = {}) => ({
    ...{ v: 1, id, topic, schema: 'worker-event-v1' },
    ...{ data: { kind: 'LOG', severity: 'info', message: 'hidden-words' }, ...more },
  })
  const at = await BusProgram.open(hub.port, token)
  program = at
  const code = async (event: string, frame: unknown) => {
    const reply = await at.ask(event, frame)
    expect(JSON.stringify(reply)).not.toContain('hidden-words')
    return reply.ok ? 'ok' : reply.error?.code
  }
  const malformed: Array<[string, unknown]> = [
    ['hello', { name: '' }],
    ['subscribe', {}],
    ['subscribe', { patterns: 'worker.**' }],
    ['subscribe', { patterns: ['a b'] }],
    ['subscribe', { patterns: Array.from({ length: 33 }, () => '**') }],
    ['subscribe', { patterns: ['**'], after: -1 }],
    ['subscribe', { patterns: ['**'], after: 'hidden-words' }],
    ['publish', {}],
    ['publish', { messages: [] }],
    ['publish', { messages: Array.from({ length: 257 }, (_, i) => words(`n-${i}`)) }],
    ['bye', 'hidden-words'],
    ...['hello', 'subscribe', 'publish', 'bye'].flatMap((event) =>
      ['hidden-words', null, 7, [], MEGABYTE].map((frame): [string, unknown] => [event, frame]),
    ),
  ]
  for (const [event, frame] of malformed)
    expect([event, String(frame).slice(0, 40), await code(event, frame)]).toEqual([
      event,
      String(frame).slice(0, 40),
      'MALFORMED_FRAME',
    ])
  expect(await code('hello', {})).toBe('INVALID_ARGUMENT')
  const wrong = [
    words('v2', { v: 2 }),
    words('up', { topic: 'worker' }),
    words('no id', { id: '' }),
    words('d', { data: 7 }),
  ]
  expect(await at.publish(...wrong)).toEqual(wrong.map(() => 'MESSAGE_INVALID'))

  const call = async (method: string, path: string, body?: string, more: Record<string, string> = {}) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...more }
    const answer = await fetch(`${hub.url}/api/v1${path}`, { method, headers, ...(body === undefined ? {} : { body }) })
    const text = await answer.text()
    expect(text).not.toContain('hidden-words')
    return answer.ok ? 'ok' : JSON.parse(text).error.code
  }
  const key = { 'idempotency-key': 'key-of-a-request' }
  for (const query of ['after=-1', 'after=x', 'pattern=***', 'limit=0', 'limit=501'])
    expect([query, await call('GET', `/events?${query}`)]).toEqual([query, 'INVALID_ARGUMENT'])
  for (const body of ['', '{', '[]', '{"messages":[]}', '{"messages":"hidden-words"}'])
    expect([body, await call('POST', '/events', body, key)]).toEqual([body, 'INVALID_ARGUMENT'])
  expect(await call('POST', '/events', '{"messages":[{}]}')).toBe('IDEMPOTENCY_KEY_REQUIRED')
  expect(await call('GET', '/peers', undefined, { authorization: 'Bearer wrong' })).toBe('AUTH_REQUIRED')

  const twice = await at.ask('publish', { messages: [words('once'), words('once')] })
  const [first, second] = (twice.results ?? []) as Array<{ offset: number; duplicate: boolean }>
  expect([first?.duplicate, second]).toEqual([false, { ok: true, offset: first?.offset, duplicate: true }])
  expect([at.closed, await call('GET', '/peers')]).toEqual([false, 'ok'])
  const million = words('million', { topic: 'x'.repeat(1_048_576) })
  expect(await at.publish(million, words('beside-it'))).toEqual([expect.stringMatching(/MESSAGE_/), 'ok'])
  // A frame beyond 2 MiB ends its own connection, and the program comes back.
  const large = await BusProgram.open(hub.port, token)
  expect(await large.publish(words('large', { topic: 'x'.repeat(2_200_000) }))).toEqual(['CLOSED'])
  expect([at.closed, await at.publish(words('after-it'))]).toEqual([false, ['ok']])
  const others = await Promise.all(Array.from({ length: 15 }, () => BusProgram.open(hub.port, token)))
  await expect(BusProgram.open(hub.port, token)).rejects.toThrow('RATE_LIMITED')
  expect(await at.publish(words('beside-fifteen'))).toEqual(['ok'])
  for (const other of others) other.close()
})

it('[BUS-3.4] [BUS-12.7] each route refuses whoever may not, and each body that does not fit, with a code; nothing of it is heard', async () => {
  const [worker, boss, reader] = [
    await peer(owner.email, 'worker'),
    await peer(owner.email, 'orchestrator'),
    await peer(owner.email, 'read'),
  ]
  const question = { kind: 'REQUEST', severity: 'warn', message: 'May I?', request_id: 'r1' }
  expect(await worker.publish(message(`worker.${worker.peerId}.event`, 'worker-event-v1', question))).toEqual(['ok'])
  const ask = `/peers/${worker.peerId}/asks/r1`
  const codeOf = async (
    method: string,
    path: string,
    { token }: { token: string },
    body?: string,
    key = `key-of-a-request-${++said}`,
  ) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'idempotency-key': key }
    const answer = await fetch(`${hub.url}/api/v1${path}`, { method, headers, ...(body === undefined ? {} : { body }) })
    const text = await answer.text()
    expect(text).not.toContain('hidden-words')
    const { error, results } = JSON.parse(text)
    return error?.code ?? results?.[0]?.error?.code ?? 'ok'
  }
  const said1 = JSON.stringify({ messages: [log(reader, 'hidden-words')] })
  const yes = JSON.stringify({ decision: 'approve', text: 'hidden-words' })
  const routes: Array<[string, string, string?]> = [
    ['GET', '/events'],
    ['POST', '/events', said1],
    ['GET', '/peers'],
    ['GET', ask],
    ['POST', `${ask}/answer`, yes],
  ]
  for (const [method, path, body] of routes)
    for (const token of ['', 'hidden-words', `${worker.token}x`])
      expect([method, path, await codeOf(method, path, { token }, body)]).toEqual([method, path, 'AUTH_REQUIRED'])
  const refused: Array<[Peer, string, string | undefined, string]> = [
    [reader, '/events', said1, 'FORBIDDEN'],
    [reader, `${ask}/answer`, yes, 'FORBIDDEN'],
    [worker, `${ask}/answer`, yes, 'FORBIDDEN'],
    [boss, `/peers/${worker.peerId}/asks/r2/answer`, yes, 'NOT_FOUND'],
    [boss, '/peers/p_nobody/asks/r1/answer', yes, 'NOT_FOUND'],
    [boss, '/peers/%00/asks/r1/answer', yes, 'NOT_FOUND'],
    [boss, `/peers/${worker.peerId}/asks/${'r'.repeat(5_000)}/answer`, yes, 'NOT_FOUND'],
    ...[
      '',
      '{',
      '[]',
      '7',
      '{}',
      '{"decision":"hidden-words"}',
      '{"decision":"approve","option":7}',
      '{"decision":"reject","text":[]}',
    ].map((body): [Peer, string, string, string] => [boss, `${ask}/answer`, body, 'INVALID_ARGUMENT']),
    [boss, `${ask}/answer`, JSON.stringify({ decision: 'approve', option: 'nowhere' }), 'ANSWER_INVALID'],
    [boss, `${ask}/answer`, JSON.stringify({ decision: 'approve', text: NEARLY }), 'INVALID_ARGUMENT'],
    [boss, '/events', JSON.stringify({ messages: [log(boss, NEARLY)] }), 'MESSAGE_TOO_LARGE'],
    [boss, '/events', JSON.stringify({ messages: [{ ...log(boss, 'x'), topic: NEARLY }] }), 'MESSAGE_TOO_LARGE'],
  ]
  const short = (path: string, body?: string) => `${path.slice(0, 60)} ${body?.slice(0, 60)}`
  const answers: string[][] = []
  for (const [who, path, body] of refused) answers.push([short(path, body), await codeOf('POST', path, who, body)])
  expect(answers).toEqual(refused.map(([, path, body, code]) => [short(path, body), code]))
  // The same request again is the same answer; another one under its key is none.
  for (const body of [yes, yes])
    expect(await codeOf('POST', `${ask}/answer`, boss, body, 'key-of-an-answer')).toBe('ok')
  const other = JSON.stringify({ decision: 'reject' })
  expect(await codeOf('POST', `${ask}/answer`, boss, other, 'key-of-an-answer')).toBe('IDEMPOTENCY_MISMATCH')
  expect(await codeOf('POST', `${ask}/answer`, boss, other)).toBe('ASK_CLOSED')
  expect((await boss.read('cmd.**')).map(({ topic }) => topic)).toEqual([`cmd.${worker.peerId}.approve`])
})

it('[BUS-7.5] a token that is taken back while its program publishes and listens ends with it: what was answered is stored, and no more', async () => {
  const [worker, boss] = [await peer(owner.email, 'worker'), await peer(owner.email, 'orchestrator')]
  const at = await worker.enter()
  await at.ask('subscribe', { patterns: ['**'] })
  const codes: string[] = []
  const talking = (async () => {
    while (!at.closed) codes.push(...(await at.publish(log(worker, 'still here'))))
  })()
  await until('it to talk', () => codes.length > 20)
  const { rest, close } = await hub.client()
  await rest.removeToken(worker.tokenId)
  close()
  await talking
  const stored = async () => wordsOf(await boss.read(`worker.${worker.peerId}.event`)).length
  const [before, heard] = [await stored(), at.heard.length]
  expect(before - codes.filter((one) => one === 'ok').length).toBeOneOf([0, 1]) // the answer to the last one may be lost
  await expect(worker.publish(log(worker, 'once more'))).rejects.toMatchObject({ code: 'AUTH_REQUIRED' })
  await expect(worker.enter()).rejects.toThrow()
  await boss.publish(message(`cmd.${worker.peerId}.abort`, 'cmd-abort-v1', { reason: 'x' }))
  expect([await stored(), at.heard.length]).toEqual([before, heard])
})

it('[BUS-5.4] of a peer’s refusals in a minute the first 20 are told, whatever it sends and by whichever way', async () => {
  const [worker, boss] = [await peer(owner.email, 'worker'), await peer(owner.email, 'orchestrator')]
  const bad = () => ({ ...log(worker, 'x'), v: 7 })
  const at = await worker.enter()
  for (let i = 0; i < 3; i += 1) {
    expect(new Set(await at.publish(...Array.from({ length: 15 }, bad)))).toEqual(new Set(['MESSAGE_INVALID']))
    expect(new Set(await worker.publish(...Array.from({ length: 15 }, bad)))).toEqual(new Set(['MESSAGE_INVALID']))
  }
  const told = (await boss.read('system.malformed.received')).filter(({ data }) => data.from === worker.peerId)
  expect(told).toHaveLength(20)
  expect(await worker.publish(log(worker, 'good'))).toEqual(['ok'])
})

it('[BUS-7.8] [BUS-7.9] two people give one name to a task: the worker of one hears nothing of the other’s, and the 2,000 newest of a person count', async () => {
  const email = await web.addPerson('cleo', 'operator')
  const hers = { boss: await peer(email, 'orchestrator'), worker: await peer(email, 'worker') }
  const danAt = await web.addPerson('dan', 'operator')
  const his = { boss: await peer(danAt, 'orchestrator'), worker: await peer(danAt, 'worker') }
  for (const { boss, worker } of [hers, his]) {
    await worker.publish(log(worker, 'here'))
    expect(await boss.publish(assign('t1', worker))).toEqual(['ok'])
    expect(await worker.publish(note('t1', `of ${worker.peerId}`))).toEqual(['ok'])
  }
  for (const { worker } of [hers, his]) expect(wordsOf(await worker.read('task.**'))).toEqual([`of ${worker.peerId}`])
  expect(await his.boss.publish(assign('t2', hers.worker))).toEqual(['MESSAGE_INVALID'])
  expect(await his.worker.publish(note('t2', 'not assigned'))).toEqual(['TOPIC_FORBIDDEN'])

  // Four more programs of hers, so that no limit of pace counts.
  const more = [hers.boss]
  while (more.length < 5) more.push(await peer(email, 'orchestrator'))
  const names = Array.from({ length: 2_000 }, (_, i) => `of-many-${i}`)
  for (const [i, boss] of more.entries())
    for (const half of [0, 1]) {
      const lot = names.slice(i * 400 + half * 200, i * 400 + half * 200 + 200)
      expect(new Set(await boss.publish(...lot.map((name) => assign(name, hers.worker))))).toEqual(new Set(['ok']))
    }
  expect(await hers.worker.publish(note('t1', 'it gave way'), note('of-many-0', 'it counts'))).toEqual([
    'TOPIC_FORBIDDEN',
    'ok',
  ])
  expect(await his.worker.publish(note('t1', 'another person’s'))).toEqual(['ok'])
})

it('[BUS-7.10] a damaged row is left out, logged and counted; everybody reads and hears the others, and a peer whose row is damaged joins anew', async () => {
  const [worker, boss] = [await peer(owner.email, 'worker'), await peer(owner.email, 'orchestrator')]
  const [first, second, third] = [log(worker, 'first'), log(worker, 'second'), log(worker, 'third')]
  expect(await worker.publish(first, second, third)).toEqual(['ok', 'ok', 'ok'])
  await hub.stop()
  const file = new HubFile(hub.dataDir)
  expect(file.put('BusMessage', 'data', '{"kind":', 'messageId = ?', second.id)).toBe(1)
  expect(file.put('BusPeer', 'facts', '{', 'peerId = ?', worker.peerId)).toBe(1)
  await hub.start()
  const pattern = `worker.${worker.peerId}.event`
  expect(wordsOf(await boss.read(pattern))).toEqual(['first', 'third'])
  const at = await boss.enter()
  await at.ask('subscribe', { patterns: [pattern], after: 0 })
  await until('the others', () => at.heard.length > 1)
  expect(wordsOf(at.heard)).toEqual(['first', 'third'])
  expect(hub.output.match(/a message of the bus is damaged/g)).toHaveLength(1)
  expect(hub.output).toContain('"damagedInAll":1')
  expect(hub.output.match(/rows of peers of the bus are damaged/g)).toHaveLength(1)
  const isHere = async () => (await boss.rest.call('listPeers')).items.some(({ peerId }) => peerId === worker.peerId)
  expect(await isHere()).toBe(false)
  expect(await worker.publish(log(worker, 'fourth'))).toEqual(['ok'])
  expect(await isHere()).toBe(true)
})
