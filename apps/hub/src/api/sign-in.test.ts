/** Rights hold until a login is made (AUTH-1), and what a browser was before (WEB-3). */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { codeOf } from '../testing/authenticator'
import { SoftPasskey } from '../testing/soft-passkey'
import { owner, TestApi, url } from '../testing/test-api'

const ben = { name: 'Ben', email: 'ben@example.com', password: 'battery horse correct' }
const other = 'another good password'

let hub: TestApi
let ana: string
beforeEach(async () => {
  hub = await TestApi.start()
  ana = await hub.signIn()
})
afterEach(() => hub.remove())

const post = (path: string, body: unknown, login = ana) =>
  hub.ask('POST', `/api/v1${path}`, { body, login, key: hub.key() })
const attempt = async ({ email, password }: { email: string; password: string }, more: object = {}) => {
  const newKey = await hub.newKey()
  const answer = await hub.ask('POST', '/api/auth/sign-in/email', { body: { email, password }, newKey, ...more })
  return { newKey, status: answer.status, code: answer.json.error?.code }
}
const statusOf = async (login: string) => (await hub.ask('GET', '/api/v1/me', { login })).status
const recover = async (userId: string) => {
  const { link } = (await post(`/people/${userId}/recover`, {})).json
  return hub.ask('POST', '/api/v1/invitations/accept', { body: { code: String(link).split('#')[1], password: other } })
}

async function join(): Promise<{ userId: string; login: string }> {
  const { link } = (await post('/invitations', { email: ben.email, role: 'operator' })).json
  const body = { code: String(link).split('#')[1], name: ben.name, password: ben.password }
  await hub.ask('POST', '/api/v1/invitations/accept', { body })
  const login = (await hub.loginOf(ben)) ?? ''
  return { login, userId: String((await hub.ask('GET', '/api/v1/me', { login })).json.userId) }
}

/** Right before the next write of the core. */
function beforeTheWrite(what: () => Promise<unknown>): void {
  const { transactions } = hub.store
  const original = transactions.write
  transactions.write = async (work) => {
    transactions.write = original
    await what()
    return original(work)
  }
}

describe('[AUTH-1] between the judgement of a password and the login that it makes', () => {
  it.each([
    [
      'the person is disabled',
      (id: string) => hub.ask('PATCH', `/api/v1/people/${id}`, { body: { disabled: true }, login: ana }),
    ],
    [
      'the person is removed',
      (id: string) => hub.ask('DELETE', `/api/v1/people/${id}`, { login: ana, key: hub.key() }),
    ],
    ['the account is recovered', (id: string) => recover(id)],
  ])('%s: nobody comes in', async (_what, take) => {
    const { userId } = await join()
    beforeTheWrite(() => take(userId))
    const { newKey, status } = await attempt(ben)
    expect([status, await statusOf(newKey)]).toEqual([401, 401])
  })

  it('the password is changed: the half of a sign-in that rests on the old one is worth nothing', async () => {
    const offer = (await post('/me/totp', { password: owner.password })).json as { secret: string }
    await post('/me/totp/confirm', { code: codeOf(offer.secret) })
    const half = await attempt(owner)
    const body = { currentPassword: owner.password, newPassword: other }
    expect((await hub.ask('POST', '/api/auth/change-password', { body, login: ana })).status).toBe(200)
    const shown = await hub.ask('POST', '/api/auth/second-step', {
      body: { code: codeOf(offer.secret, 1) },
      newKey: half.newKey,
    })
    expect([shown.json.error?.code, await statusOf(half.newKey)]).toEqual(['AUTH_REQUIRED', 401])
  })

  it('the login by which a password is changed ends: the password stays', async () => {
    const { userId, login } = await join()
    const body = { currentPassword: ben.password, newPassword: other }
    beforeTheWrite(() => post(`/people/${userId}/sign-out`, undefined))
    const answer = await hub.ask('POST', '/api/auth/change-password', { body, login })
    expect(answer.json.error?.code).toBe('AUTH_REQUIRED')
    expect((await attempt(ben)).status).toBe(200)
  })
})

describe('[AUTH-1] a passkey', () => {
  const challengeOf = ({ json }: { json: object }) => ({ challenge: String((json as { challenge: string }).challenge) })
  const passkey = (path: string, body: unknown, who: object) =>
    hub.ask('POST', `/api/auth/passkey${path}`, { body, ...who })

  it.each([
    ['recovered', (id: string) => recover(id)],
    ['disabled', (id: string) => hub.ask('PATCH', `/api/v1/people/${id}`, { body: { disabled: true }, login: ana })],
    ['signed out everywhere', (id: string) => post(`/people/${id}/sign-out`, undefined)],
  ])('is not added by a login whose person was %s while it was judged', async (_what, take) => {
    const { userId, login } = await join()
    const options = await passkey('/register-options', { password: ben.password }, { login })
    const response = new SoftPasskey(url).create(challengeOf(options))
    const { adapter } = await hub.auth.$context
    const { transaction } = adapter
    adapter.transaction = async (work) => {
      adapter.transaction = transaction
      await take(userId)
      return transaction(work)
    }
    const { create } = adapter
    adapter.create = (async (args: Parameters<typeof create>[0]) => {
      adapter.create = create
      await take(userId)
      return create(args)
    }) as typeof create
    const added = await passkey('/register', { name: 'x', response }, { login })
    expect([added.status, await hub.store.prisma.passkey.count()]).toEqual([401, 0])
  })

  it('that was removed while it was judged lets nobody in', async () => {
    const key = new SoftPasskey(url)
    const offered = await passkey('/register-options', { password: owner.password }, { login: ana })
    await passkey('/register', { name: 'x', response: key.create(challengeOf(offered)) }, { login: ana })
    const who = { newKey: await hub.newKey() }
    const response = key.get(challengeOf(await passkey('/options', {}, who)))
    const { adapter } = await hub.auth.$context
    const { create } = adapter
    adapter.create = (async (args: Parameters<typeof create>[0]) => {
      adapter.create = create
      await hub.store.prisma.passkey.deleteMany()
      return create(args)
    }) as typeof create
    expect((await passkey('/sign-in', { response }, who)).status).toBe(401)
    expect(await statusOf(who.newKey)).toBe(401)
  })
})

describe('[WEB-3] a key', () => {
  it('makes one login: who shows it again to sign in is refused, while that login lives', async () => {
    const body = { email: owner.email, password: owner.password }
    const again = () => hub.ask('POST', '/api/auth/sign-in/email', { body, newKey: ana })
    expect((await again()).json.error?.code).toBe('AUTH_FAILED')
    expect(await hub.store.prisma.authSession.count()).toBe(1)
  })

  it('is wanted of whoever signs in', async () => {
    const body = { email: owner.email, password: owner.password }
    expect((await hub.ask('POST', '/api/auth/sign-in/email', { body })).json.error?.code).toBe('KEY_REQUIRED')
  })

  it('that owes a code is no login at any time', async () => {
    const offer = (await post('/me/totp', { password: owner.password })).json as { secret: string }
    await post('/me/totp/confirm', { code: codeOf(offer.secret) })
    const newKey = await hub.newKey()
    const body = { email: owner.email, password: owner.password }
    const entering = hub.ask('POST', '/api/auth/sign-in/email', { body, newKey })
    let over = false
    void entering.then(() => {
      over = true
    })
    const seen = new Set<number>()
    while (!over) seen.add(await statusOf(newKey))
    seen.add(await statusOf(newKey))
    expect([(await entering).json.codeNeeded, [...seen]]).toEqual([true, [401]])
  })
})

describe('[T76] wrong passwords', () => {
  const wrong = { ...owner, password: 'not the password' }
  const crowd = async () => {
    for (let i = 0; i < 6; i += 1) await attempt(wrong)
  }

  it('of a browser that signed this person in before are counted apart, and no more than five', async () => {
    await crowd()
    expect((await attempt(owner)).status).toBe(429)
    const tries = []
    for (let i = 0; i < 6; i += 1) tries.push((await attempt(wrong, { login: ana })).status)
    expect(tries).toEqual([401, 401, 401, 401, 401, 429])
  })

  it('for another person are those of a stranger, whoever the browser was', async () => {
    await join()
    for (let i = 0; i < 6; i += 1) await attempt({ ...ben, password: 'not the password' }, { login: ana })
    expect((await attempt(ben)).status).toBe(429)
  })

  it.each([
    ['the person is signed out everywhere', (id: string) => post(`/people/${id}/sign-out`, undefined)],
    ['the account is recovered', (id: string) => recover(id)],
    [
      'the login is ended from elsewhere',
      async (_id: string, login: string) => {
        const { items } = (await hub.ask('GET', '/api/v1/me/logins', { login })).json as {
          items: Array<{ loginId: string }>
        }
        const own = (await hub.loginOf(ben)) ?? ''
        return hub.ask('DELETE', `/api/v1/me/logins/${items[0]?.loginId}`, { login: own, key: hub.key() })
      },
    ],
  ])('are those of a stranger again once %s', async (_what, end) => {
    const { userId, login } = await join()
    await end(userId, login)
    const tries = []
    for (let i = 0; i < 6; i += 1) tries.push((await attempt({ ...ben, password: 'wrong' }, { login })).status)
    expect(tries.at(-1)).toBe(429)
    expect((await attempt({ ...ben, password: 'wrong' })).status).toBe(429)
  })
})
