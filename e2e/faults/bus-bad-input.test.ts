/** Bad input for each frame of `/events` and each route of the bus, on the built hub: a coded answer, and the peer stays. */
import { afterAll, expect, it } from 'vitest'
import { owner } from '../support/processes/hub-process'
import { BusProgram } from '../support/wire/bus-program'
import { hubOfFile } from '../support/wire/hub-of-file'

const { hub } = hubOfFile('bus-bad-input')
let program: BusProgram | undefined
afterAll(() => program?.close())

it('[BUS-3.4] [BUS-8.6] each frame and each route answers what is wrong with a code; a repeat is one message; the peer stays and is served', async () => {
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
  ]
  for (const [event, frame] of malformed) expect([event, await code(event, frame)]).toEqual([event, 'MALFORMED_FRAME'])
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
  const key = { 'idempotency-key': 'k-1' }
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
})
