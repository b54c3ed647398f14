/** Ends are complete (AUTH-2), names are nobody else's (AUTH-3), and what takes time ends with the rights of who began it (AUTH-1). */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { owner, TestApi } from '../testing/test-api'

const ben = { name: 'Ben', email: 'ben@example.com', password: 'battery horse correct' }
const eve = { name: 'Eve', email: 'eve@example.com', password: 'staple battery horse' }

let hub: TestApi
let ana: string
beforeEach(async () => {
  hub = await TestApi.start()
  ana = await hub.signIn()
})
afterEach(() => hub.remove())

const send = (method: string, path: string, body: unknown, login: string) =>
  hub.ask(method, `/api/v1${path}`, { login, key: hub.key(), ...(body === undefined ? {} : { body }) })
const post = (path: string, body: unknown, login = ana) => send('POST', path, body, login)
const codeOf = (link: unknown) => String(link).split('#')[1]
const accept = (code: string | undefined, { name, password }: { name?: string; password: string }) =>
  hub.ask('POST', '/api/v1/invitations/accept', { body: { code, name, password } })
const invite = async (email: string, role: string, by = ana) =>
  codeOf((await post('/invitations', { email, role }, by)).json.link)

async function join(person: typeof ben, role: string) {
  expect((await accept(await invite(person.email, role), person)).status).toBe(201)
  const login = (await hub.loginOf(person)) ?? ''
  const me = await hub.ask('GET', '/api/v1/me', { login })
  return { userId: String(me.json.userId), login }
}
const makeToken = async (login: string, password: string) => {
  const wanted = { name: 'CI', scopes: ['read', 'operate'], ttlDays: 1, password }
  return String((await post('/me/tokens', wanted, login)).json.token)
}
const statusOf = async (token: string) => (await hub.ask('GET', '/api/v1/me', { token })).status

describe('the tokens of a person’s programs', () => {
  it.each([
    ['the person is signed out everywhere', (id: string) => post(`/people/${id}/sign-out`, undefined)],
    ['the role is lowered', (id: string) => send('PATCH', `/people/${id}`, { role: 'viewer' }, ana)],
    ['the role is raised', (id: string) => send('PATCH', `/people/${id}`, { role: 'admin' }, ana)],
    ['the person is disabled', (id: string) => send('PATCH', `/people/${id}`, { disabled: true }, ana)],
  ])('[AUTH-2] end when %s, and none comes back', async (_what, take) => {
    const { userId, login } = await join(ben, 'operator')
    const token = await makeToken(login, ben.password)
    expect(await statusOf(token)).toBe(200)
    expect((await take(userId)).status).toBe(200)
    await send('PATCH', `/people/${userId}`, { disabled: false, role: 'operator' }, ana)
    expect(await statusOf(token)).toBe(401)
    const rows = await hub.store.prisma.audit.findMany({ where: { object: userId } })
    expect(rows.map(({ detail }) => JSON.parse(detail ?? '{}').tokensRemoved)).toContain(1)
  })

  it('[AUTH-2] stay when neither role nor logins change', async () => {
    const { userId, login } = await join(ben, 'operator')
    const token = await makeToken(login, ben.password)
    await send('PATCH', `/people/${userId}`, { name: 'Benjamin', role: 'operator', agents: [] }, ana)
    expect(await statusOf(token)).toBe(200)
  })

  it.each([
    ['end with a password change that ends the other logins', true, 401],
    ['stay with one that does not', false, 200],
  ])('[AUTH-2] %s', async (_what, revokeOtherSessions, status) => {
    const { login } = await join(ben, 'operator')
    const token = await makeToken(login, ben.password)
    const body = { currentPassword: ben.password, newPassword: 'another long password', revokeOtherSessions }
    expect((await hub.ask('POST', '/api/auth/change-password', { login, body })).status).toBe(200)
    expect(await statusOf(token)).toBe(status)
  })
})

describe('what somebody made who may not any more', () => {
  it.each([
    ['is removed', (id: string) => send('DELETE', `/people/${id}`, undefined, ana)],
    ['is disabled', (id: string) => send('PATCH', `/people/${id}`, { disabled: true }, ana)],
    ['has another role', (id: string) => send('PATCH', `/people/${id}`, { role: 'operator' }, ana)],
  ])('[AUTH-2] enrollment tokens and invitations are taken back when their maker %s', async (_what, take) => {
    const admin = await join(ben, 'admin')
    const made = (await post('/enrollment-tokens', {}, admin.login)).json
    const code = await invite(eve.email, 'operator', admin.login)
    expect((await take(admin.userId)).status).toBe(200)
    const { json } = await hub.ask('GET', `/api/v1/enrollment-tokens/${made.tokenId}`, { login: ana })
    expect(json.state).toBe('revoked')
    expect((await accept(code, eve)).json.error?.code).toBe('INVITATION_INVALID')
  })

  /** Right before the write of this number, counted from the request. */
  const before = (write: number, what: () => Promise<unknown>) => {
    const { transactions } = hub.store
    const original = transactions.write
    let seen = 0
    transactions.write = async (work) => {
      seen += 1
      if (seen !== write) return original(work)
      transactions.write = original
      await what()
      return original(work)
    }
  }

  it('[AUTH-1] an invitation that is being taken makes nobody once its maker was removed', async () => {
    const admin = await join(ben, 'owner')
    const code = await invite(eve.email, 'owner', admin.login)
    before(2, () => send('DELETE', `/people/${admin.userId}`, undefined, ana)) // the code was right, the account is made
    expect((await accept(code, eve)).json.error?.code).toBe('INVITATION_INVALID')
    expect((await hub.store.prisma.user.findMany()).map(({ email }) => email)).toEqual([owner.email])
    expect((await accept(code, eve)).json.error?.code).toBe('INVITATION_INVALID')
  })

  it('[AUTH-1] a link for a new password that is being taken changes nothing once it was taken back', async () => {
    const admin = await join(ben, 'admin')
    const { userId } = await join(eve, 'operator')
    const code = codeOf((await post(`/people/${userId}/recover`, undefined, admin.login)).json.link)
    before(2, () => send('PATCH', `/people/${admin.userId}`, { disabled: true }, ana))
    expect((await accept(code, { password: 'a wholly new password' })).json.error?.code).toBe('INVITATION_INVALID')
    expect(await hub.loginOf(eve)).not.toBeNull()
  })

  it('[AUTH-1] [CMD-1] a repeat of a request by a login that ended gets no first answer', async () => {
    const admin = await join(ben, 'admin')
    const key = hub.key()
    const ask = () => hub.ask('POST', '/api/v1/enrollment-tokens', { body: {}, login: admin.login, key })
    const first = await ask()
    expect((await ask()).json.token).toBe(first.json.token)
    before(1, () => post(`/people/${admin.userId}/sign-out`, undefined))
    expect((await ask()).json).toEqual({ error: expect.objectContaining({ code: 'AUTH_REQUIRED' }) })
  })
})

describe('a display name', () => {
  it('[AUTH-3] [T97] like another person’s, like a role or like the hub comes in by no way', async () => {
    for (const name of ['Αna', 'Owner', 'Ana (CI)']) {
      const code = await invite(ben.email, 'operator')
      expect((await accept(code, { ...ben, name })).json.error?.code).toBe('NAME_NOT_ALLOWED')
      expect((await accept(code, { ...ben, name: 'Ben' })).status).toBe(201) // the invitation is good still
      await hub.store.prisma.user.delete({ where: { email: ben.email } })
    }
    const { userId } = await join(ben, 'operator')
    const renamed = await send('PATCH', `/people/${userId}`, { name: 'АNA' }, ana)
    expect(renamed.json.error?.code).toBe('NAME_NOT_ALLOWED')
    expect((await send('PATCH', `/people/${userId}`, { name: ' ben ' }, ana)).json.name).toBe('ben')
  })

  it('[AUTH-3] of the owner is judged at the setup', async () => {
    const empty = await TestApi.start()
    const code = await empty.setup.issueCode()
    const body = { code, ...owner, name: 'The hub' }
    const refused = await empty.ask('POST', '/api/v1/setup', { body })
    expect(refused.json.error?.code).toBe('NAME_NOT_ALLOWED')
    expect((await empty.ask('POST', '/api/v1/setup', { body: { ...body, name: 'Ana' } })).status).toBe(201)
    await empty.remove()
  })

  it('[AUTH-3] of two who come in at once is that of one of them', async () => {
    const codes = [await invite(ben.email, 'viewer'), await invite(eve.email, 'viewer')]
    const answers = await Promise.all(codes.map((code) => accept(code, { ...ben, name: 'Zoe' })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 422])
  })

  it('[AUTH-3] of a token has no bracket', async () => {
    const wanted = { name: 'x) Owner (', scopes: ['read'], ttlDays: 1, password: owner.password }
    expect((await post('/me/tokens', wanted)).json.error?.code).toBe('NAME_NOT_ALLOWED')
  })
})
