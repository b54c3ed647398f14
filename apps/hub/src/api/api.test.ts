import { errorCodes, proofHeaders } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { owner, TestApi } from '../testing/test-api'

let hub: TestApi
let ask: TestApi['ask']

beforeEach(async () => {
  hub = await TestApi.start()
  ask = hub.ask.bind(hub)
})
afterEach(() => hub.remove())

const signIn = () => hub.signIn()

describe('first run', () => {
  it('makes the owner with the printed code, once', async () => {
    const code = await hub.setup.issueCode()
    expect((await ask('GET', '/api/v1/health')).json).toMatchObject({ ok: true, setupRequired: true })
    expect((await ask('POST', '/api/v1/setup', { body: { code, ...owner } })).status).toBe(201)
    expect((await ask('GET', '/api/v1/health')).json).toMatchObject({ setupRequired: false })
    const again = await ask('POST', '/api/v1/setup', { body: { code, ...owner, email: 'eve@example.com' } })
    expect([again.status, again.json.error?.code]).toEqual([403, 'SETUP_INVALID'])
    expect(await hub.store.prisma.user.count()).toBe(1)
  })

  it('makes one owner of two who post the right code at once', async () => {
    const code = await hub.setup.issueCode()
    const posts = ['ana', 'ben', 'eve'].map((name) =>
      ask('POST', '/api/v1/setup', { body: { code, ...owner, name, email: `${name}@example.com` } }),
    )
    const answers = await Promise.all(posts)
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 403, 403])
    expect(await hub.store.prisma.user.count()).toBe(1)
  })

  it('[T76] counts wrong codes exactly and stops taking them', async () => {
    await hub.setup.issueCode()
    const wrong = () => ask('POST', '/api/v1/setup', { body: { code: 'wrong', ...owner } })
    const answers = await Promise.all(Array.from({ length: 25 }, wrong))
    expect(answers.filter(({ status }) => status === 403)).toHaveLength(10)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(15)
  })

  it('lets nobody sign up besides', async () => {
    await signIn()
    const body = { name: 'Eve', email: 'eve@example.com', password: 'long enough to be taken' }
    const answer = await ask('POST', '/api/auth/sign-up/email', { body })
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect(await hub.store.prisma.user.count()).toBe(1)
  })
})

describe('every route', () => {
  const open = new Set([
    '/api/v1/health',
    '/api/v1/ready',
    '/api/v1/setup',
    '/api/v1/agent/challenge',
    '/api/v1/agent/enroll',
    '/api/v1/agent/rotate-key',
    '/api/v1/invitations/accept',
    '/api/auth/sign-in/email',
    '/api/auth/sign-out',
    '/api/auth/passkey/options',
    '/api/auth/passkey/sign-in',
  ])

  async function routes(): Promise<Array<[method: string, path: string]>> {
    const document = (await ask('GET', '/api/v1/openapi.json', { login: await signIn() })).json as {
      paths: Record<string, object>
    }
    return Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method): [string, string] => [method.toUpperCase(), path.replace(/\{\w+\}/g, 'x')]),
    )
  }

  it('[WEB-1] [A1] wants a login, but for the public list', async () => {
    const all = await routes()
    expect(all.length).toBeGreaterThan(25)
    for (const [method, path] of all) {
      if (open.has(path)) continue
      const answer = await ask(method, path, method === 'GET' ? {} : { body: {}, key: 'a-key-of-a-stranger' })
      expect([method, path, answer.status, answer.json.error?.code]).toEqual([method, path, 401, 'AUTH_REQUIRED'])
    }
  })

  it('[T56] takes no made-up credential for one', async () => {
    const long = 'x'.repeat(43)
    for (const proof of ['', 'x.y', `${long}..${'j'.repeat(22)}.${long}.${'s'.repeat(86)}`]) {
      expect((await ask('GET', '/api/v1/me', { headers: { [proofHeaders.login]: proof } })).status).toBe(401)
    }
  })

  it('[A31] [T62] looks no odd id up', async () => {
    const login = await signIn()
    for (const id of ['..%2f..%2fetc', "'%20or%201", '%24(x)', '-rf', 'a%00b', 'x'.repeat(65)]) {
      expect((await ask('GET', `/api/v1/sessions/${id}`, { login })).status).toBe(404)
    }
    expect(hub.unexpected).toEqual([])
  })

  it('answers bad input with a code of the table and never with 500', async () => {
    const login = await signIn()
    const bodies = ['{', '[]', 'null', '"x"', '{"agentId":7}', '{"settings":{"workDir":""}}']
    for (const [method, path] of await routes()) {
      if (method === 'GET') continue
      for (const body of bodies) {
        const { status, json } = await ask(method, path, { body, login, key: 'one-key-for-all' })
        expect(status, `${method} ${path} ${body}`).toBeLessThan(500)
        if (status >= 400 && path !== '/api/v1/setup') expect(errorCodes).toContain(json.error?.code)
      }
    }
    expect(hub.unexpected).toEqual([])
  })
})

describe('writes', () => {
  it('[CMD-1] want an Idempotency-Key', async () => {
    const login = await signIn()
    const answer = await ask('POST', '/api/v1/enrollment-tokens', { body: {}, login })
    expect([answer.status, answer.json.error?.code]).toEqual([400, 'IDEMPOTENCY_KEY_REQUIRED'])
  })

  it('[CMD-1] answer a repeat with the first answer, and another body under the same key with 422', async () => {
    const login = await signIn()
    const post = (body: object) => ask('POST', '/api/v1/enrollment-tokens', { body, login, key: 'the-same-key' })
    const [first, second] = [await post({}), await post({})]
    expect(second.json).toEqual(first.json)
    expect((await post({ name: 'other' })).json.error?.code).toBe('IDEMPOTENCY_MISMATCH')
  })

  it('[T73] [A38] want JSON that says it is JSON', async () => {
    const login = await signIn()
    const answer = await ask('POST', '/api/v1/enrollment-tokens', {
      body: {},
      login,
      key: 'some-key-1',
      type: 'text/plain',
    })
    expect([answer.status, answer.json.error?.code]).toEqual([400, 'INVALID_ARGUMENT'])
  })

  it('[T60] mint no token by GET of a write, and say which method there is none for', async () => {
    const login = await signIn()
    expect((await ask('PUT', '/api/v1/sessions', { login, body: {} })).json.error?.code).toBe('METHOD_NOT_ALLOWED')
    expect((await ask('GET', '/api/v1/agent/enroll', { login })).status).toBe(405)
  })

  it('are never cached', async () => {
    const login = await signIn()
    expect((await ask('GET', '/api/v1/me', { login })).headers.get('cache-control')).toBe('no-store')
  })
})
