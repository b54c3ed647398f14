/** Guessing: setup codes, passwords, enrollment tokens, nonces. Each on a hub of its own, since a limit outlives its test. */
import { rmSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { freshFolder } from '../support/common/paths'
import { HubProcess, owner } from '../support/processes/hub-process'
import { RawAgent } from '../support/wire/raw-socket'
import { newBrowserKey, type RawAnswer, RawWeb } from '../support/wire/raw-web'

let folder: string
let hub: HubProcess
let web: RawWeb

beforeEach(async () => {
  folder = freshFolder('doors')
  hub = new HubProcess(folder)
  web = new RawWeb(hub)
  await hub.start()
})
afterEach(async () => {
  await hub.stop()
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
})

const times = <T>(count: number, make: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)))

function tally(answers: RawAnswer[]): Record<number, number> {
  const counts: Record<number, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

/** What somebody sends who wants to be taken for many. */
const asAnother = (index: number) => ({
  'x-forwarded-for': `203.0.113.${index}`,
  'x-real-ip': `203.0.113.${index}`,
  'x-roundhouse-client-address': `203.0.113.${index}`,
})

describe('guessing', () => {
  it('[T76] [T84] [A46] [WEB-1.15] [WEB-1.16] [WEB-1.17] a password: 200 at once are counted exactly, for the account and for the address', async () => {
    const login = await web.makeOwner()
    const email = await web.addPerson('vic', 'viewer')
    const key = await newBrowserKey()
    const guess = (account: string) => (index: number) => {
      const headers = { ...asAnother(index), 'new-key': key }
      return web.post('/api/auth/sign-in/email', { email: account, password: `wrong ${index}` }, headers)
    }
    expect(tally(await times(200, guess(owner.email)))).toEqual({ 401: 5, 429: 195 })
    const spellings = [owner.email.toUpperCase(), ` ${owner.email} `]
    for (const spelling of spellings) expect((await guess(spelling)(1)).status).toBe(429)
    const late = await web.post('/api/auth/sign-in/email', owner, { 'new-key': key })
    expect([late.status, late.code]).toEqual([429, 'RATE_LIMITED'])
    expect(Number(late.headers['retry-after'])).toBeGreaterThan(600)
    for (const trick of [
      '/api/auth//sign-in/email',
      '/api/auth/sign-in/email/',
      '/api/auth/sign-in/%65mail',
      '/api/auth/SIGN-IN/email',
    ])
      expect([404, 429]).toContain((await web.post(trick, owner, { 'new-key': key })).status)
    expect((await web.ask('/api/v1/me', { headers: { login } })).status).toBe(200)
    await web.signIn(email)
    expect(tally(await times(200, (index) => guess(`nobody-${index}@example.com`)(index)))).toEqual({
      401: 15,
      429: 185,
    })
  })

  it('[T76] a password: an account that is not there looks like one that is', async () => {
    await web.makeOwner()
    const [known, unknown] = await Promise.all(
      [owner.email, 'nobody@example.com'].map(async (email) =>
        web.post('/api/auth/sign-in/email', { email, password: 'wrong' }, { 'new-key': await newBrowserKey() }),
      ),
    )
    expect([known?.status, known?.body]).toEqual([unknown?.status, unknown?.body])
  })

  it('[T76] the setup code: ten a minute from one address, and all wrong ones look the same', async () => {
    const guess = (index: number) =>
      web.post('/api/v1/setup', { ...owner, code: `${hub.setupCode}${index}` }, asAnother(index))
    const answers = await times(100, guess)
    expect(tally(answers)).toEqual({ 403: 10, 429: 90 })
    expect(new Set(answers.filter(({ status }) => status === 403).map(({ body }) => body)).size).toBe(1)
    expect((await web.ask('/api/v1/health')).body).toContain('"setupRequired":true')
  })

  it('[T52] [JOIN-1.1] an enrollment token is good once, for one of eight, and every other looks the same', async () => {
    const login = await web.makeOwner()
    const make = async (key: string) =>
      JSON.parse((await web.post('/api/v1/enrollment-tokens', {}, { login, 'idempotency-key': key })).body)
    const { token } = await make('token-to-use')
    const joined = await times(8, () => new RawAgent(web).enroll(token))
    expect(tally(joined)).toEqual({ 201: 1, 401: 7 })
    const wrong = [
      'x'.repeat(60),
      `rhe_${'a'.repeat(10)}_${'b'.repeat(43)}_000000`,
      `${token}x`,
      token,
      '\u0000'.repeat(40),
    ]
    const refused = []
    for (const one of wrong) refused.push(await new RawAgent(web).enroll(one))
    expect(new Set(refused.map(({ status, body }) => `${status} ${body}`)).size).toBe(1)
    expect(refused[0]?.code).toBe('ENROLLMENT_INVALID')
  })

  it('[T55] [JOIN-2] an enrollment with a nonce of nobody, of another key, or used before is refused', async () => {
    const login = await web.makeOwner()
    const made = await web.post('/api/v1/enrollment-tokens', {}, { login, 'idempotency-key': 'token-to-try' })
    const { token } = JSON.parse(made.body)
    const other = new RawAgent(web)
    for (const change of [{ nonce: 'made-up' }, { publicKey: other.publicKey }, { publicKey: '' }, { signature: '' }])
      expect((await new RawAgent(web).enroll(token, change)).code).toBe('AUTH_FAILED')
    expect((await other.enroll(token)).status).toBe(201)
  })
})
