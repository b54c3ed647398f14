/** Sign-in by an identity provider, as the hub's operator switched it on: raw HTTP, a provider that can be bent. */
import path from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { codeOf } from '../support/browser/authenticator'
import { IdentityProvider } from '../support/browser/identity-provider'
import { owner } from '../support/processes/hub-process'
import { hubOfFile } from '../support/wire/hub-of-file'
import { newBrowserKey } from '../support/wire/raw-web'
import { openRoutes, routesOf, walkRoutes } from '../support/wire/route-walk'

const callback = '/api/auth/callback/oidc'
/** What a browser says of itself when another site sends it here. */
const fromElsewhere = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }

const provider = await IdentityProvider.start()
afterAll(() => provider.stop())
// Behind a proxy, so that each test comes from an address of its own: limits outlive a test.
const own = hubOfFile('oidc', { env: { ...provider.env, ROUNDHOUSE_BEHIND_TLS_PROXY: '1' } })
const { folder, hub, web } = own
let ana: string
let tests = 0
let keys = 0
let from: { 'x-forwarded-for': string }

beforeAll(() => {
  ana = own.login
})
beforeEach(() => {
  from = { 'x-forwarded-for': `203.0.113.${++tests}` }
  provider.person = { sub: 'sub-ana', email: owner.email }
})
afterEach(async () => {
  provider.bend = {}
  await unlink()
})

const nameOf = async (login: string) => JSON.parse((await web.ask('/api/v1/me', { headers: { login } })).body).name
const linked = async () => JSON.parse((await web.ask('/api/v1/me/identity', { headers: { login: ana } })).body)
const unlink = (password = owner.password) =>
  web.post('/api/v1/me/identity/unlink', { password }, { ...from, login: ana, 'idempotency-key': `unlink-${++keys}` })

interface Begun {
  /** A path of the hub. */
  back: string
  /** The key that began. */
  key: string
}

/** Out to the provider and up to its door. */
async function begin(route: string, body: unknown, login?: string): Promise<Begun> {
  const key = login ?? (await newBrowserKey())
  const answer = await web.post(`/api/auth/${route}`, body, { ...from, ...(login ? { login } : { 'new-key': key }) })
  if (answer.status !== 200) throw new Error(`${route}: ${answer.status} ${answer.body}`)
  expect(answer.headers['set-login']).toBeUndefined()
  return { back: await provider.consent(JSON.parse(answer.body).url, hub), key }
}

/** Where a sign-in or a link ended. */
interface Ended {
  to: string | undefined
  signedIn?: boolean
  code: string | undefined
}

/** The browser comes back as a page, and the page shows what came with the key. */
async function land(back: string, shown: Record<string, string>): Promise<Ended> {
  const page = await web.ask(back, { headers: { ...fromElsewhere, ...from } })
  expect([page.status, page.headers['set-login']]).toEqual([302, undefined])
  const [path = '', answer = ''] = String(page.headers.location).split('#')
  expect(path).toBe('/login/back')
  const route = 'login' in shown && !('new-key' in shown) ? 'link-back' : 'sign-in/back'
  const body = Object.fromEntries(new URLSearchParams(answer))
  const done = await web.post(`/api/auth/${route}`, body, { ...from, ...shown })
  return { ...JSON.parse(done.body), to: JSON.parse(done.body).to, code: done.code }
}

async function link(login = ana): Promise<Ended> {
  const { back } = await begin('link-social', { password: owner.password }, login)
  return land(back, { login })
}

async function signIn(next?: string): Promise<Ended & { login: string }> {
  const { back, key } = await begin('sign-in/social', next === undefined ? {} : { next })
  return { ...(await land(back, { 'new-key': key })), login: key }
}

const isIn = async (login: string) => (await web.ask('/api/v1/me', { headers: { login } })).status === 200
const refusedAs = (word: string) => ({ to: `/login?refused=${word}`, signedIn: false })

describe('by an identity provider', () => {
  it('a person comes in who linked it with their account, and lands where they wanted to go', async () => {
    expect(await linked()).toEqual({ provider: 'Example ID', linkedAt: null })
    expect((await link()).to).toBe('/account')
    expect(await linked()).toEqual({ provider: 'Example ID', linkedAt: expect.any(Number) })
    const came = await signIn('/sessions?filter=mine')
    expect(came).toMatchObject({ to: '/sessions?filter=mine', signedIn: true })
    expect(await nameOf(came.login)).toBe(owner.name)
  })

  it('is asked with PKCE, a state and a nonce, and for who it is alone', async () => {
    await begin('sign-in/social', {})
    const asked = Object.fromEntries(provider.asked.at(-1)?.searchParams ?? [])
    expect(asked).toEqual({
      response_type: 'code',
      client_id: 'roundhouse',
      scope: 'openid',
      redirect_uri: `${hub.url}${callback}`,
      code_challenge_method: 'S256',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      state: expect.stringMatching(/^[\w-]{32}$/),
      nonce: expect.stringMatching(/^[\w-]{32}$/),
    })
  })

  it('keeps for a second try where a person wanted to go', async () => {
    expect((await signIn('/sessions')).to).toBe('/login?refused=unknown&next=%2Fsessions')
  })

  it('nobody comes in who is not linked: not a stranger, and not by an e-mail address that somebody here has', async () => {
    for (const email of ['eve@example.com', owner.email]) {
      provider.person = { sub: 'sub-eve', email }
      const came = await signIn()
      expect([came, await isIn(came.login)]).toMatchObject([refusedAs('unknown'), false])
    }
    const { body } = await web.ask('/api/v1/people', { headers: { login: ana } })
    expect(JSON.parse(body).items).toHaveLength(1)
    expect(await linked()).toMatchObject({ linkedAt: null })
  })

  it('[T77] a disabled person does not come in, and comes in again once enabled', async () => {
    const login = await web.signIn(await web.addPerson('ben', 'viewer'))
    provider.person = { sub: 'sub-ben', email: 'ben@example.com' }
    await link(login)
    const { userId } = JSON.parse((await web.ask('/api/v1/me', { headers: { login } })).body)
    const change = (disabled: boolean) =>
      web.ask(`/api/v1/people/${userId}`, {
        method: 'PATCH',
        body: JSON.stringify({ disabled }),
        headers: { ...web.json, login: ana },
      })
    await change(true)
    const refused = await signIn()
    expect([refused, await isIn(refused.login)]).toMatchObject([refusedAs('disabled'), false])
    await change(false)
    expect(await nameOf((await signIn()).login)).toBe('ben')
  })

  it('[T75] the login that the browser had before is worth nothing', async () => {
    await link()
    const former = await web.signIn(owner.email)
    const { back, key } = await begin('sign-in/social', {})
    await land(back, { login: former, 'new-key': key })
    expect(await nameOf(key)).toBe(owner.name)
    expect((await web.ask('/api/v1/me', { headers: { login: former } })).status).toBe(401)
  })
})

describe('what the provider says', () => {
  const now = () => Math.floor(Date.now() / 1000)
  it.each([
    ['for another client', { claims: { aud: 'another' } }],
    ['for several, made out to another', { claims: { aud: ['roundhouse', 'another'], azp: 'another' } }],
    ['of another issuer', { claims: { iss: 'https://evil.example' } }],
    ['with another nonce', { claims: { nonce: 'x'.repeat(32) } }],
    ['without a nonce', { claims: { nonce: undefined } }],
    ['that has run out', { claims: { exp: now() - 3_600 } }],
    ['that never runs out', { claims: { exp: undefined } }],
    ['of nobody', { claims: { sub: undefined } }],
    ['signed by another key', { foreignKey: true }],
    ['signed by nobody', { header: { alg: 'none' } }],
    ['that says it is signed by a shared secret', { header: { alg: 'HS256' } }],
    ['that does not come', { bare: true }],
  ])('[A21] in an id token %s lets nobody in', async (_what, bend) => {
    await link()
    provider.bend = bend
    const came = await signIn()
    expect([came, await isIn(came.login)]).toMatchObject([refusedAs('failed'), false])
    provider.bend = {}
    expect(await isIn((await signIn()).login)).toBe(true)
  })
})

describe('the way back', () => {
  it('[A46] [WEB-1] is worth nothing without the key that began, and only once', async () => {
    await link()
    const [mine, other] = [await begin('sign-in/social', {}), await begin('sign-in/social', {})]
    const stale = refusedAs('stale')
    expect((await land(mine.back, {})).code).toBe('KEY_REQUIRED')
    expect(await land(mine.back, { 'new-key': await newBrowserKey() })).toMatchObject(stale)
    expect(await land(mine.back, { 'new-key': other.key })).toMatchObject(stale)
    expect(await land(mine.back, { 'new-key': mine.key })).toMatchObject({ to: '/', signedIn: true })
    expect(await land(mine.back, { 'new-key': mine.key })).toMatchObject(stale)
    expect([await isIn(mine.key), await isIn(other.key)]).toEqual([true, false])
  })

  it.each([
    ['a made-up state', (back: string) => back.replace(/state=[\w-]+/, 'state=made-up')],
    ['no state', () => `${callback}?`],
  ])('[A46] with %s lets nobody in', async (_what, bend) => {
    await link()
    const { back, key } = await begin('sign-in/social', {})
    expect(await land(bend(back), { 'new-key': key })).toMatchObject(refusedAs('stale'))
    expect(await isIn(key)).toBe(false)
  })

  it('with a code that was used before, or made for another sign-in, lets nobody in', async () => {
    await link()
    const [first, second] = [await begin('sign-in/social', {}), await begin('sign-in/social', {})]
    const code = new URL(first.back, hub.url).searchParams.get('code') ?? ''
    const swapped = second.back.replace(/code=[\w-]+/, `code=${code}`)
    for (const [back, key] of [
      [swapped, second.key],
      [first.back, first.key],
    ] as const) {
      expect(await land(back, { 'new-key': key })).toMatchObject(refusedAs('failed'))
      expect(await isIn(key)).toBe(false)
    }
  })

  it.each(['https://evil.example/', '//evil.example', '/\\evil.example', 'javascript:alert(1)', '/\t/evil.example'])(
    '[A39] leads to no other site: %j leads home',
    async (next) => {
      await link()
      expect(await signIn(next)).toMatchObject({ to: '/', signedIn: true })
    },
  )

  it('takes no address from whoever begins, and shows nothing of what a stranger writes into it', async () => {
    const { back, key } = await begin('sign-in/social', {
      next: '/sessions',
      callbackURL: 'https://evil.example',
      disableRedirect: false,
      errorCallbackURL: 'https://evil.example',
      provider: 'google',
      requestSignUp: true,
      idToken: { token: 'x' },
    })
    const denied = `${callback}?error=%3Cb%3E&error_description=evil&state=${/state=([\w-]+)/.exec(back)?.[1]}`
    expect((await land(denied, { 'new-key': key })).to).toBe('/login?refused=failed&next=%2Fsessions')
  })

  it('[WEB-1.7] is the one page under /api that another site may send a browser to, and only as a page', async () => {
    const { back } = await begin('sign-in/social', {})
    const as = (dest: string) => web.ask(back, { headers: { ...fromElsewhere, 'sec-fetch-dest': dest } })
    for (const dest of ['iframe', 'image', 'empty', 'script']) expect((await as(dest)).code).toBe('ORIGIN_NOT_ALLOWED')
    for (const target of ['/api/v1/me', '/api/auth/callback/oidcx?', '/api/auth/sign-in/social?'])
      expect((await web.ask(target, { headers: fromElsewhere })).code).toBe('ORIGIN_NOT_ALLOWED')
    expect((await web.post(back, {})).status).toBe(404)
  })
})

describe('the routes of a hub that has one', () => {
  it('[WEB-1.3] answer a stranger nothing, but for the way out and the way back', async () => {
    const routes = await routesOf(web, ana)
    expect(routes.map(({ path }) => path)).toEqual(expect.arrayContaining(['/api/auth/link-social', callback]))
    await walkRoutes(web, routes, { ...from, origin: web.origin }, ({ method, path }, code) => {
      if (!openRoutes.has(path)) expect([method, path, code]).toEqual([method, path, 'AUTH_REQUIRED'])
    })
  })
})

describe('the link', () => {
  it('wants a code as well where codes are on, while the provider lets in without one', async () => {
    const login = await web.signIn(await web.addPerson('finn', 'viewer'))
    const own = (route: string, body: object) =>
      web.post(`/api/v1/me/${route}`, body, { ...from, login, 'idempotency-key': `own-key-${++keys}` })
    const { secret } = JSON.parse((await own('totp', { password: owner.password })).body)
    expect((await own('totp/confirm', { code: codeOf(secret, -1) })).status).toBe(200)
    expect((await web.post('/api/auth/link-social', { password: owner.password }, { ...from, login })).code).toBe(
      'AUTH_FAILED',
    )
    provider.person = { sub: 'sub-finn', email: 'finn@example.com' }
    const { back } = await begin('link-social', { password: owner.password, code: codeOf(secret) }, login)
    expect((await land(back, { login })).to).toBe('/account')
    expect(await nameOf((await signIn()).login)).toBe('finn')
  })

  it('ends with a link for a new password: who makes that vouches for the person anew', async () => {
    const login = await web.signIn(await web.addPerson('gil', 'viewer'))
    provider.person = { sub: 'sub-gil', email: 'gil@example.com' }
    await link(login)
    const { userId } = JSON.parse((await web.ask('/api/v1/me', { headers: { login } })).body)
    const made = await web.post(
      `/api/v1/people/${userId}/recover`,
      {},
      { login: ana, 'idempotency-key': 'recover-gil' },
    )
    const code = String(JSON.parse(made.body).link).split('#')[1]
    await web.post('/api/v1/invitations/accept', { code, password: 'a wholly new password' }, from)
    expect(await signIn()).toMatchObject(refusedAs('unknown'))
  })

  it('[T76] wants the login and the password once more, and wrong ones are counted', async () => {
    expect((await web.post('/api/auth/link-social', { password: owner.password }, from)).code).toBe('AUTH_REQUIRED')
    const login = await web.signIn(await web.addPerson('cleo', 'viewer'))
    const attempt = (password: string) => web.post('/api/auth/link-social', { password }, { ...from, login })
    const answers = await Promise.all(Array.from({ length: 8 }, (_, index) => attempt(`wrong ${index}`)))
    expect(answers.map(({ code }) => code).sort()).toEqual([
      ...Array(5).fill('AUTH_FAILED'),
      ...Array(3).fill('RATE_LIMITED'),
    ])
    expect((await attempt(owner.password)).code).toBe('RATE_LIMITED')
  })

  it('[WEB-1] is made for the login that asked for it, and for nobody else', async () => {
    const dora = await web.signIn(await web.addPerson('dora', 'viewer'))
    const { back } = await begin('link-social', { password: owner.password }, ana)
    expect((await land(back, { login: dora })).to).toBe('/account?refused=stale')
    expect((await land(back, { 'new-key': await newBrowserKey() })).to).toBe('/login?refused=stale')
    expect(await linked()).toMatchObject({ linkedAt: null })
  })

  it('[A22] [T77] is not made once that login has ended, nor after a link for a new password', async () => {
    const login = await web.signIn(await web.addPerson('hal', 'viewer'))
    const { back } = await begin('link-social', { password: owner.password }, login)
    await web.post('/api/auth/sign-out', {}, { ...from, login })
    expect((await land(back, { login })).code).toBe('AUTH_REQUIRED')
    const again = await web.signIn('hal@example.com')
    expect((await land(back, { login: again })).to).toBe('/account?refused=stale')
  })

  it('is one for each person, and one identity is one person', async () => {
    await link()
    expect((await web.post('/api/auth/link-social', { password: owner.password }, { ...from, login: ana })).code).toBe(
      'REV_CHANGED',
    )
    const other = await web.signIn(await web.addPerson('emil', 'viewer'))
    expect((await link(other)).to).toBe('/account?refused=taken')
  })

  it('taken apart lets nobody in any more', async () => {
    await link()
    expect((await unlink('wrong')).code).toBe('AUTH_FAILED')
    expect((await unlink()).status).toBe(200)
    expect(await signIn()).toMatchObject(refusedAs('unknown'))
    expect((await unlink()).code).toBe('NOT_FOUND')
  })

  it('stands in the audit log with what it was used for; of the provider nothing is kept but whom it meant', async () => {
    await link()
    await signIn()
    const kept = new Database(path.join(folder, 'hub.db'), { readonly: true })
    const [account] = kept.prepare("SELECT * FROM Account WHERE providerId = 'oidc' ORDER BY createdAt DESC").all()
    kept.close()
    expect(account).toMatchObject({
      accountId: `${provider.issuer} sub-ana`,
      idToken: null,
      accessToken: null,
      refreshToken: null,
    })
    provider.person = { sub: 'sub-nobody', email: 'x@example.com' }
    await signIn()
    await unlink()
    const { body } = await web.ask('/api/v1/audit?limit=4', { headers: { login: ana } })
    const rows = (JSON.parse(body).items as Array<Record<string, string>>).reverse()
    expect(rows.map(({ action, outcome, actorName }) => `${action} ${outcome} ${actorName}`)).toEqual([
      'identity.link ok Ana',
      'login.begin ok Ana',
      'login.begin refused ',
      'identity.unlink ok Ana',
    ])
    expect(rows.map(({ detail }) => JSON.parse(detail ?? '{}').by)).toEqual([
      undefined,
      'identity provider',
      'identity provider',
      undefined,
    ])
  })
})
