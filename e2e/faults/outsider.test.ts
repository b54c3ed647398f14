/** A stranger with plain HTTP against the production build: every route that is served, and what browsers never send. */
import { errorCodes } from '@roundhouse/backend-types'
import { beforeAll, describe, expect, it } from 'vitest'
import { repoRoot } from '../support/common/paths'
import { owner } from '../support/processes/hub-process'
import { wholeMatrix } from '../support/rigs/whole-matrix'
import { hubOfFile } from '../support/wire/hub-of-file'
import { newBrowserKey } from '../support/wire/raw-web'
import { keyed, openRoutes, type Route, routesOf, walkRoutes } from '../support/wire/route-walk'

const own = hubOfFile('outsider')
const { folder, hub, web } = own
let login: string
let routes: Route[]

beforeAll(async () => {
  login = own.login
  routes = await routesOf(web, login)
})

const walk = (headers: Record<string, string>, judge: Parameters<typeof walkRoutes>[3]) =>
  walkRoutes(web, routes, headers, judge)

describe('every served route', () => {
  it('[WEB-1.2] [WEB-1.3] [A1] [A10] [A12] [A16] is closed to whoever has no login, but for the public list', async () => {
    expect(routes.length).toBeGreaterThan(30)
    await walk({ origin: web.origin }, ({ method, path }, code) => {
      if (!openRoutes.has(path)) expect([method, path, code]).toEqual([method, path, 'AUTH_REQUIRED'])
    })
    expect((await web.ask('/api/v1/openapi.json')).code).toBe('AUTH_REQUIRED')
  })

  it('[T56] [A21] takes nothing made up for a login', async () => {
    const fakes: Array<Record<string, string>> = [
      { cookie: 'roundhouse.session_token=x.y' },
      { cookie: `roundhouse.session_token=${login}` },
      { cookie: `__Host-roundhouse.session_token=${login}` },
      { login: `${login}x` },
      { login: `${login}.${await web.freshNonce()}.${'j'.repeat(22)}.${'h'.repeat(43)}.${'s'.repeat(86)}` },
      { authorization: `Bearer ${login}` },
      { 'x-roundhouse-agent': 'agt_1', 'x-roundhouse-nonce': 'n', 'x-roundhouse-signature': 's' },
      { 'x-user-id': 'vic', 'x-forwarded-user': 'ana@example.com', 'x-roundhouse-client-address': '::1' },
    ]
    for (const fake of fakes) {
      const { code } = await web.ask('/api/v1/me', { headers: fake })
      expect([fake, code]).toEqual([fake, 'AUTH_REQUIRED'])
    }
  })

  it('[T72] [A8] [A17] answers under its own host names alone', async () => {
    const port = hub.port
    const names = [
      'evil.example',
      `evil.example:${port}`,
      `localhost.evil.example:${port}`,
      'localhost',
      `127.1:${port}`,
    ]
    const more = [
      `[::]:${port}`,
      `0.0.0.0:${port}`,
      `2130706433:${port}`,
      `localhost:${port}.`,
      `localhost.:${port}`,
      '',
    ]
    for (const host of [...names, ...more]) {
      for (const target of ['/', '/api/v1/me', '/api/auth/get-session', '/icon.svg', '/socket.io/?EIO=4']) {
        const { status, code } = await web.ask(target, { headers: { host, login } })
        expect([host, target, status, code]).toEqual([host, target, 421, 'HOST_NOT_ALLOWED'])
      }
    }
    expect(await web.bytes('GET / HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 421 /)
  })

  it('[A31] [A38] [A40] [T62] looks no odd id up, evaluates nothing, and takes nothing that does not say it is JSON', async () => {
    const ids = ['..%2f..%2fetc%2fpasswd', "'%20or%201=1", '%24%7b7*7%7d', '-rf', 'a%00b', 'x'.repeat(65), '%252e%252e']
    for (const id of ids) {
      for (const target of [
        `/api/v1/sessions/${id}`,
        `/api/v1/sessions/${id}/events`,
        `/api/v1/agents/${id}/folders`,
      ]) {
        const { status } = await web.ask(target, { headers: { login } })
        expect([target, status]).toEqual([target, 404])
      }
    }
    const expression = '=7*7 %7*7% #7*7 $7*7'
    const request = { name: expression, scopes: ['read'], ttlDays: 1, password: owner.password }
    await web.post('/api/v1/me/tokens', request, { login, 'idempotency-key': 'an-expression' })
    const listed = await web.ask('/api/v1/me/tokens', { headers: { login } })
    expect(JSON.parse(listed.body).items).toContainEqual(expect.objectContaining({ name: expression }))
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', '']) {
      const headers = { login, 'content-type': type, 'idempotency-key': `no-json-${type.length}` }
      expect([type, (await web.post('/api/v1/enrollment-tokens', {}, headers)).code]).toEqual([
        type,
        'INVALID_ARGUMENT',
      ])
    }
  })

  it('[T73] [WEB-1.4] takes the proof of a login for a write only with our own origin', async () => {
    for (const origin of [
      'null',
      'http://evil.example',
      `http://127.0.0.1:${hub.port}`,
      `${web.origin}.evil.example`,
    ]) {
      await walk({ login, origin }, ({ method, path }, code) => {
        expect([origin, method, path, code]).toEqual([origin, method, path, 'ORIGIN_NOT_ALLOWED'])
      })
    }
    await walk({ login }, ({ method, path, read }, code) => {
      if (!read) expect([method, path, code]).toEqual([method, path, 'ORIGIN_NOT_ALLOWED'])
    })
  })

  it('[WEB-1.6] gives a page of another site nothing to read', async () => {
    await walk({ login, 'sec-fetch-site': 'cross-site' }, ({ method, path }, code) => {
      expect([method, path, code]).toEqual([method, path, 'ORIGIN_NOT_ALLOWED'])
    })
    const { headers } = await web.ask('/api/v1/me', { headers: { login } })
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([])
  })

  it('[T66] [A34] takes no file: what is no JSON is refused wherever something is sent, and only JSON comes back', async () => {
    const polyglot = 'GIF89a/*<svg onload="alert(1)"><script>alert(1)</script></svg>*/=1;'
    for (const type of ['image/svg+xml', 'text/html', 'image/gif', 'application/octet-stream', 'multipart/form-data']) {
      for (const { path, method } of routes.filter((route) => !route.read && route.method !== 'DELETE')) {
        const headers = { login, origin: web.origin, ...keyed, 'content-type': type }
        const answer = await web.ask(path, { method, body: polyglot, headers })
        const isBodyless = answer.status !== 400 && !answer.body.includes('GIF89a')
        expect([type, method, path, answer.code === 'INVALID_ARGUMENT' || isBodyless]).toEqual([
          type,
          method,
          path,
          true,
        ])
        expect(answer.headers['content-type']).toMatch(/^application\/json/)
        expect(answer.headers['x-content-type-options']).toBe('nosniff')
      }
    }
  })

  it('[T73] takes a body only as JSON that says so', async () => {
    const body = JSON.stringify({ name: 'x' })
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', '']) {
      for (const target of ['/api/v1/enrollment-tokens', '/api/v1/setup', '/api/auth/sign-in/email']) {
        const proofs = { login, 'new-key': await newBrowserKey() }
        const headers = { ...proofs, origin: web.origin, ...keyed, ...(type ? { 'content-type': type } : {}) }
        const { code } = await web.ask(target, { method: 'POST', body, headers })
        expect([type, target, code]).toEqual([type, target, 'INVALID_ARGUMENT'])
      }
    }
  })
})

describe('a login', () => {
  const unused = ['sign-up/email', 'update-user', 'admin/impersonate-user', 'admin/set-role', 'admin/create-user']
  const more = [
    'get-session',
    'list-sessions',
    'revoke-session',
    'request-password-reset',
    'sign-in/social',
    'callback/x?state=y',
    'ok',
    'error',
    'nothing-at-all',
    'verify-password',
    'sign-in/social',
    'link-social',
    'callback/oidc',
    'unlink-account',
    'list-accounts',
    'account-info',
    'get-access-token',
    'refresh-token',
    'two-factor/enable',
    'two-factor/disable',
    'two-factor/get-totp-uri',
    'two-factor/verify-totp',
    'two-factor/verify-backup-code',
    'two-factor/generate-backup-codes',
    'two-factor/send-otp',
    'passkey/generate-authenticate-options',
    'passkey/verify-authentication',
    'passkey/generate-register-options',
    'passkey/verify-registration',
    'passkey/list-user-passkeys',
    'passkey/delete-passkey',
    'passkey/update-passkey',
  ]

  it('[A45] [WEB-1.14] has those routes that people use and no other of the library', async () => {
    for (const name of [...unused, ...more]) {
      for (const answer of [await web.ask(`/api/auth/${name}`), await web.post(`/api/auth/${name}`, {}, { login })])
        expect([name, answer.status]).toEqual([name, 404])
    }
  })

  it('[T75] starts with a key of its own, and the one before it is worth nothing', async () => {
    const email = await web.addPerson('fixed', 'viewer')
    const made = await web.signIn(email, { cookie: 'roundhouse.session_token=planted.planted' })
    const again = { email, password: owner.password }
    expect((await web.post('/api/auth/sign-in/email', again, { 'new-key': made })).code).toBe('AUTH_FAILED')
    const next = await web.signIn(email, { login: made })
    expect((await web.ask('/api/v1/me', { headers: { login: made } })).code).toBe('AUTH_REQUIRED')
    expect((await web.ask('/api/v1/me', { headers: { login: next } })).status).toBe(200)
  })
})

describe('paths', () => {
  const tricks = ['/..%2f..%2fetc/passwd', '/%2e%2e/%2e%2e/etc/passwd', '/_next/static/..%2f..%2fpackage.json']
  const files = ['/_next/BUILD_ID', '/_next/server/app/page.js', '/package.json', '/.env', '/hub.db', '/dist/server.js']
  const odd = ['/%00', '/%', '/%zz', '/%c0%ae%c0%ae', `/${'a'.repeat(7_000)}`, '/api/v1/..%2fme', '/api/v1/me%00']
  const api = ['/api//v1/me', '/API/v1/me', '/api/v1/me/', '/_next/image?url=http%3A%2F%2F127.0.0.1%2F&w=64&q=75']

  it('[A45] lead to no file outside the pages, and to no page of errors that tells how it is built', async () => {
    for (const target of [...tricks, ...files, ...odd, ...api]) {
      const { status, body } = await web.ask(target, { headers: { login } })
      expect([target, status >= 300 && status < 500]).toEqual([target, true])
      expectNoInsides(target, body)
    }
  })

  it.each(['http://evil.example/x', '//evil.example/', '/\\evil.example', '*', '//api/v1/me'])(
    '%s is no path of this hub, and nobody is sent there',
    async (target) => {
      const head = `${target === '*' ? 'OPTIONS' : 'GET'} ${target} HTTP/1.1\r\nhost: localhost:${hub.port}\r\n\r\n`
      const heard = await web.bytes(head)
      expect(heard).toMatch(/^HTTP\/1\.1 400 /)
      expect(heard).not.toMatch(/\nlocation:/i)
    },
  )

  it('pages are read: no other method, no action of a form', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']) {
      for (const target of ['/', '/login', '/sessions/x', '/nothing']) {
        const headers = { origin: web.origin, 'next-action': 'a'.repeat(42), 'content-type': 'text/plain' }
        const { code } = await web.ask(target, { method, headers, body: '[]' })
        expect([method, target, code]).toEqual([method, target, 'METHOD_NOT_ALLOWED'])
      }
    }
  })

  it('[T81] no header of the framework leads around anything', async () => {
    const words = [
      'x-middleware-subrequest',
      'x-middleware-rewrite',
      'x-invoke-path',
      'x-matched-path',
      'x-original-url',
    ]
    for (const name of [
      ...words,
      'x-rewrite-url',
      'x-http-method-override',
      'x-nextjs-data',
      'next-resume',
      'x-invoke-error',
    ]) {
      const said = { [name]: 'middleware:middleware:middleware:middleware:middleware' }
      expect([name, (await web.ask('/api/v1/agents', { headers: said })).code]).toEqual([name, 'AUTH_REQUIRED'])
      expect([name, (await web.ask('/nothing', { headers: said })).status]).toEqual([name, 404])
    }
    for (const tree of ['%', 'garbage', '["__proto__"]']) {
      const answer = await web.ask('/login', { headers: { rsc: '1', 'next-router-state-tree': tree } })
      expect(answer.status).toBeLessThan(500)
      expectNoInsides(tree, answer.body)
    }
    const elsewhere = {
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'https',
      forwarded: 'host=evil.example',
    }
    expect((await web.ask('/login', { headers: elsewhere })).body).not.toContain('evil.example')
  })

  it('[T74] every answer says what it may load and that it stands in no frame', async () => {
    const pages = ['/', '/login', '/setup', '/sessions/x', '/agents', '/nothing', '/icon.svg', '/_next/static/x.js']
    const data = [
      '/api/',
      '/api/v1/me',
      '/api/v1/health',
      '/api/v1/nothing',
      '/api/auth/get-session',
      '/api/auth/error',
    ]
    for (const target of [...pages, ...data]) {
      const { headers } = await web.ask(target)
      expect([target, headers['content-security-policy']]).toEqual([
        target,
        expect.stringContaining("frame-ancestors 'none'"),
      ])
      expect(headers['content-security-policy']).not.toContain('unsafe')
      expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'x-frame-options': 'DENY' })
      if (target.startsWith('/api/')) expect([target, headers['cache-control']]).toEqual([target, 'no-store'])
    }
  })
})

/** An ordinary run plays every third, beginning with another one each time, so that all have their turn. */
const inTurn = <T>(all: readonly T[], turn: number): T[] => all.filter((_, n) => wholeMatrix || (n + turn) % 3 === 0)

describe('bodies', () => {
  const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`
  const values: Array<[string, string]> = [
    ['a huge number', '1e999'],
    ['a negative number', '-1'],
    ['no number', '"NaN"'],
    ['2^53', '9007199254740993'],
    ['a deep nest', deep],
    ['a list', '[]'],
    ['null', 'null'],
    ['a polluted object', '{"__proto__":{"role":"owner"},"constructor":{"prototype":{"role":"owner"}}}'],
    ['a lone surrogate', '"\\ud800"'],
    ['a NUL', '"\\u0000"'],
  ]
  const names = ['agentId', 'settings', 'promptId', 'text', 'rev', 'toIndex', 'turnId', 'name', 'title', 'ttlMinutes']
  const more = ['updatedInput', 'decision', 'digest', 'archived', 'fresh', 'op', 'code', 'agentNonce', 'token', 'nonce']

  it('[T2] [A9] of any content are refused in our words, never with an inner error', async () => {
    for (const [n, { method, path }] of routes.filter(({ read }) => !read).entries()) {
      for (const [what, value] of inTurn(values, n)) {
        const fields = [...names, ...more].map(
          (name) => `"${name}":${what === 'a deep nest' && name !== 'updatedInput' ? '1' : value}`,
        )
        for (const body of [value, `{${fields.join()}}`]) {
          const headers = { ...web.json, login, 'idempotency-key': 'odd-bodies' }
          const answer = await web.ask(path, { method, body, headers })
          expect([method, path, what, answer.status]).not.toEqual([method, path, what, 500])
          if (answer.status >= 400) expect(errorCodes, answer.body).toContain(answer.code)
          expectNoInsides(path, answer.body)
        }
      }
    }
  })

  it('[T2] neither do odd numbers and letters in a query', async () => {
    const odd = [
      '1e999',
      '-1',
      'NaN',
      '9007199254740993',
      '0x10',
      '',
      '%00',
      '%ff',
      '__proto__',
      "'%20OR%201=1",
      '%F0%9F',
    ]
    for (const [n, { path }] of routes.filter(({ read }) => read).entries()) {
      for (const [at, value] of odd.entries()) {
        const query = ['after', 'before', 'limit', 'cursor', 'text', 'status', 'path', 'agentId', '__proto__']
        for (const name of inTurn(query, n + at)) {
          const { status, body } = await web.ask(`${path}?${name}=${value}`, { headers: { login } })
          expect([path, name, value, status < 500]).toEqual([path, name, value, true])
          expectNoInsides(path, body)
        }
      }
    }
  })

  it('[CMD-1.2] an odd Idempotency-Key is refused', async () => {
    for (const key of [
      'short',
      'x'.repeat(101),
      'with space here',
      'semi;colon;here',
      '../../etc/passwd',
      '\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9',
    ]) {
      const { code } = await web.post('/api/v1/enrollment-tokens', {}, { login, 'idempotency-key': key })
      expect([key, code]).toEqual([key, 'INVALID_ARGUMENT'])
    }
  })

  it("[CMD-1.2] another person's Idempotency-Key tells nothing of what they got", async () => {
    const admin = await web.signIn(await web.addPerson('adam', 'admin'))
    const headers = { 'idempotency-key': 'the-very-same-key' }
    const mine = JSON.parse((await web.post('/api/v1/enrollment-tokens', {}, { ...headers, login })).body)
    const theirs = JSON.parse((await web.post('/api/v1/enrollment-tokens', {}, { ...headers, login: admin })).body)
    expect(theirs.tokenId).toEqual(expect.any(String))
    expect(theirs.tokenId).not.toBe(mine.tokenId)
    expect(theirs.token).not.toBe(mine.token)
  })
})

function expectNoInsides(what: string, body: string): void {
  const insides = [repoRoot, folder, 'node_modules', '    at ', 'SQLITE', 'prisma', 'PrismaClient', '.ts:']
  expect([what, insides.filter((word) => body.includes(word))]).toEqual([what, []])
}
