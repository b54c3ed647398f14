import type { SecondFactors } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { codeOf } from '../testing/authenticator'
import { SoftPasskey } from '../testing/soft-passkey'
import { type Answer, owner, TestApi, url } from '../testing/test-api'

const { password } = owner
const ben = { name: 'Ben', email: 'ben@example.com', password: 'battery horse correct' }

let hub: TestApi
let ana: string
beforeEach(async () => {
  hub = await TestApi.start()
  ana = await hub.signIn()
})
afterEach(async () => {
  await hub.remove()
  vi.useRealTimers()
})

type Lies = Parameters<SoftPasskey['get']>[1]
type Json = Record<string, unknown>

/** `who`: the login on the account page, or the key that begins at the door. */
const auth = (path: string, body: unknown, who: { login?: string; newKey?: string }, origin = url) =>
  hub.ask('POST', `/api/auth/passkey${path}`, { body, origin, ...who })
const challengeOf = ({ json }: Answer) => ({ challenge: String(json.challenge) })
const statusOf = async (login: string) => (await hub.ask('GET', '/api/v1/me', { login })).status
const factors = async (login = ana) =>
  (await hub.ask('GET', '/api/v1/me/factors', { login })).json as unknown as SecondFactors
const audited = async () =>
  (await hub.store.prisma.audit.findMany({ orderBy: { id: 'asc' } })).map(
    ({ action, outcome }) => `${action} ${outcome}`,
  )

async function add(key: SoftPasskey, login = ana, proof: Json = { password }, lies: Lies = {}): Promise<Answer> {
  const options = await auth('/register-options', proof, { login })
  if (options.status !== 200) return options
  const body = { name: 'My laptop', response: key.create(challengeOf(options), lies) }
  return auth('/register', body, { login })
}

/** With the login that it made, or would have. */
async function signIn(key: SoftPasskey, lies: Lies = {}, login?: string): Promise<Answer & { login: string }> {
  const who = { newKey: await hub.newKey(), ...(login ? { login } : {}) }
  const options = await auth('/options', {}, who)
  const answer = await auth('/sign-in', { response: key.get(challengeOf(options), lies) }, who)
  return { ...answer, login: who.newKey }
}

async function join(): Promise<string> {
  const body = { email: ben.email, role: 'viewer' }
  const { link } = (await hub.ask('POST', '/api/v1/invitations', { body, login: ana, key: hub.key() })).json
  const joining = { code: String(link).split('#')[1], name: ben.name, password: ben.password }
  await hub.ask('POST', '/api/v1/invitations/accept', { body: joining })
  return (await hub.loginOf(ben)) ?? ''
}

describe('a passkey', () => {
  it('is added after the password was asked again, and signs in by itself', async () => {
    const key = new SoftPasskey(url)
    expect((await add(key, ana, { password: 'not the password' })).json.error?.code).toBe('AUTH_FAILED')
    expect((await add(key)).json).toEqual({ ok: true })
    expect((await factors()).passkeys).toMatchObject([{ name: 'My laptop' }])
    const done = await signIn(key)
    expect([done.json, await statusOf(done.login)]).toEqual([{ ok: true }, 200])
    expect(await audited()).toEqual(expect.arrayContaining(['passkey.add refused', 'passkey.add ok', 'login.begin ok']))
  })

  it('is both factors: no code is asked after it; but one is asked of whoever adds it', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const post = (path: string, body: Json) => hub.ask('POST', `/api/v1${path}`, { body, login: ana, key: hub.key() })
    const { secret } = (await post('/me/totp', { password })).json as { secret: string }
    await post('/me/totp/confirm', { code: codeOf(secret) })
    const key = new SoftPasskey(url)
    expect((await add(key)).json.error?.code).toBe('AUTH_FAILED')
    expect((await add(key, ana, { password, code: codeOf(secret, 1) })).status).toBe(200)
    expect(await statusOf((await signIn(key)).login)).toBe(200)
  })

  it('counts only where the device has asked for a finger, a face or a PIN', async () => {
    const key = new SoftPasskey(url)
    expect((await add(key, ana, { password }, { verified: false })).status).toBe(401)
    expect((await factors()).passkeys).toEqual([])
    await add(key)
    const done = await signIn(key, { verified: false })
    expect([done.json.error?.code, await statusOf(done.login)]).toEqual(['AUTH_FAILED', 401])
    expect((await auth('/options', {}, { newKey: await hub.newKey() })).json.userVerification).toBe('required')
  })

  it.each([
    ['of another site', { origin: 'https://evil.example', rpId: 'evil.example' }],
    ['of another port', { origin: 'http://localhost:4601' }],
    ['of another scheme', { origin: 'https://localhost:4600' }],
    ['for another name', { rpId: 'evil.example' }],
  ])('[A11] made for a page %s is worth nothing here', async (_what, lies) => {
    const key = new SoftPasskey(url)
    expect((await add(key, ana, { password }, lies)).status).toBe(401)
    await add(key)
    const done = await signIn(key, lies)
    expect([done.status, await statusOf(done.login)]).toEqual([401, 401])
  })

  it('counts under the public address alone, not under another one that the hub answers to', async () => {
    const [key, other] = [new SoftPasskey(url), 'http://127.0.0.1:4600']
    await add(key)
    const who = { newKey: await hub.newKey() }
    const options = await auth('/options', {}, who, other)
    const response = key.get(challengeOf(options), { origin: other })
    expect((await auth('/sign-in', { response }, who, other)).status).toBe(401)
  })

  it('answers a question once, and only the one that this browser was asked', async () => {
    const key = new SoftPasskey(url)
    await add(key)
    const [mine, other] = [await hub.newKey(), await hub.newKey()]
    const options = await auth('/options', {}, { newKey: mine })
    await auth('/options', {}, { newKey: other })
    const response = key.get(challengeOf(options))
    const send = (newKey: string) => auth('/sign-in', { response }, { newKey })
    expect((await send(await hub.newKey())).status).toBe(401)
    expect((await send(other)).status).toBe(401)
    const answers = await Promise.all([1, 2, 3].map(() => send(mine)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401])
  })

  it('of another person opens nothing of mine, and none can be added in my name', async () => {
    const his = await join()
    const key = new SoftPasskey(url)
    await add(key)
    const stolen = new SoftPasskey(url, key.id) // says it is hers, and has another key
    for (let used = 0; used < 9; used += 1) stolen.get({ challenge: 'x' }) // nor does a higher count help
    expect((await signIn(stolen)).status).toBe(401)
    expect((await add(stolen, his, { password: ben.password })).status).toBe(401)
    const asked = await auth('/register-options', { password }, { login: ana })
    const response = new SoftPasskey(url).create(challengeOf(asked))
    expect((await auth('/register', { name: 'x', response }, { login: his })).status).toBe(401)
    expect(await statusOf((await signIn(key)).login)).toBe(200)
    expect((await factors(his)).passkeys).toEqual([])
  })

  it('[T75] [A22] [T77] starts a login of its own, and opens nothing for who is kept out', async () => {
    const his = await join()
    const key = new SoftPasskey(url)
    await add(key, his, { password: ben.password })
    const done = await signIn(key, {}, his)
    expect([await statusOf(his), await statusOf(done.login)]).toEqual([401, 200])
    await hub.store.prisma.user.updateMany({ where: { email: ben.email }, data: { banned: true } })
    expect((await signIn(key)).status).toBe(401)
  })

  it('is renamed and removed by its person alone, and is worth nothing then', async () => {
    const his = await join()
    const key = new SoftPasskey(url)
    await add(key)
    const path = `/api/v1/me/passkeys/${(await factors()).passkeys[0]?.passkeyId}`
    const rename = (login: string) => hub.ask('PATCH', path, { body: { name: 'Old laptop' }, login })
    const remove = (login: string, proof: Json) =>
      hub.ask('POST', `${path}/remove`, { body: proof, login, key: hub.key() })
    const hisTry = await remove(his, { password: ben.password })
    expect([(await rename(his)).status, hisTry.status]).toEqual([404, 404])
    expect((await rename(ana)).json.passkeys).toMatchObject([{ name: 'Old laptop' }])
    expect((await remove(ana, { password })).json).toEqual({ ok: true })
    expect((await signIn(key)).status).toBe(401)
    expect(await audited()).toEqual(expect.arrayContaining(['passkey.rename ok', 'passkey.remove ok']))
  })

  it('[T76] is removed by nobody without the password, and a code where codes are on; wrong ones count', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const post = (path: string, body: Json) => hub.ask('POST', `/api/v1${path}`, { body, login: ana, key: hub.key() })
    await add(new SoftPasskey(url))
    const kept = new SoftPasskey(url)
    await add(kept)
    const { secret } = (await post('/me/totp', { password })).json as { secret: string }
    await post('/me/totp/confirm', { code: codeOf(secret) })
    const remove = async (proof: Json) =>
      (await post(`/me/passkeys/${(await factors()).passkeys[0]?.passkeyId}/remove`, proof)).json.error?.code
    const proof = { password, code: codeOf(secret, 1) }
    expect(await remove({})).toBe('INVALID_ARGUMENT')
    expect(await remove({ password })).toBe('AUTH_FAILED')
    expect(await remove({ password, code: '000000' })).toBe('AUTH_FAILED')
    expect((await factors()).passkeys).toHaveLength(2)
    expect(await remove(proof)).toBeUndefined()
    expect((await factors()).passkeys).toHaveLength(1)
    const wrong = { ...proof, password: 'not the password' }
    expect([await remove(wrong), await remove(proof), await remove(wrong), await remove(proof)]).toEqual([
      ...Array(3).fill('AUTH_FAILED'),
      'RATE_LIMITED',
    ])
    expect(await statusOf((await signIn(kept)).login)).toBe(200)
  })

  it('[AUTH-1] is not added, nor is an authenticator, with a password that was changed after it was shown', async () => {
    const post = (path: string, body: Json) => hub.ask('POST', `/api/v1${path}`, { body, login: ana, key: hub.key() })
    const options = await auth('/register-options', { password }, { login: ana })
    const { secret } = (await post('/me/totp', { password })).json as { secret: string }
    const change = { currentPassword: password, newPassword: 'a wholly new password' }
    const elsewhere = await hub.loginOf(owner)
    expect((await hub.ask('POST', '/api/auth/change-password', { body: change, login: elsewhere })).status).toBe(200)
    const body = { name: 'x', response: new SoftPasskey(url).create(challengeOf(options)) }
    expect((await auth('/register', body, { login: ana })).status).toBe(401)
    expect((await post('/me/totp/confirm', { code: codeOf(secret) })).json.error?.code).not.toBeUndefined()
    expect(await factors()).toMatchObject({ totp: false, passkeys: [] })
  })

  it('[AUTH-1] nothing is done with a password that is changed before it is written', async () => {
    const { transactions } = hub.store
    const write = transactions.write.bind(transactions)
    transactions.write = async (work) => {
      await hub.store.prisma.account.updateMany({ data: { password: 'the hash of another' } })
      return write(work)
    }
    const body = { name: 'CI', scopes: ['read'], ttlDays: 1, password }
    const made = await hub.ask('POST', '/api/v1/me/tokens', { body, login: ana, key: hub.key() })
    expect([made.json.error?.code, await hub.store.prisma.apiToken.count()]).toEqual(['AUTH_FAILED', 0])
  })

  it('goes with a link for a new password', async () => {
    const his = await join()
    const key = new SoftPasskey(url)
    await add(key, his, { password: ben.password })
    const { id } = await hub.store.prisma.user.findFirstOrThrow({ where: { email: ben.email } })
    const asked = { body: {}, login: ana, key: hub.key() }
    const { link } = (await hub.ask('POST', `/api/v1/people/${id}/recover`, asked)).json
    const next = { code: String(link).split('#')[1], password: 'a wholly new password' }
    await hub.ask('POST', '/api/v1/invitations/accept', { body: next })
    expect((await signIn(key)).status).toBe(401)
    const row = await hub.store.prisma.audit.findFirst({ where: { action: 'person.recovered' } })
    expect(JSON.parse(row?.detail ?? '{}')).toEqual({ passkeysRemoved: 1 })
  })

  it('[T76] questions and wrong answers are limited for an address', async () => {
    const who = { newKey: await hub.newKey() }
    const asked = await Promise.all(Array.from({ length: 40 }, () => auth('/options', {}, who)))
    expect(asked.filter(({ status }) => status === 429)).toHaveLength(10)
    const tries = await Promise.all(
      Array.from({ length: 30 }, () =>
        auth('/sign-in', { response: new SoftPasskey(url).get(challengeOf(asked[0] as Answer)) }, who),
      ),
    )
    expect(tries.filter(({ status }) => status === 401)).toHaveLength(20)
  })
})
