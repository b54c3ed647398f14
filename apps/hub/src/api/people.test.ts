import { createHash } from 'node:crypto'
import type { Role } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { secretOf } from '../testing/secret-of'
import { owner, TestApi } from '../testing/test-api'

const ben = { name: 'Ben', email: 'ben@example.com', password: 'battery horse correct' }
const eve = { name: 'Eve', email: 'eve@example.com', password: 'staple battery horse' }

let hub: TestApi
let ana: string
let clock: number
beforeEach(async () => {
  clock = Date.now()
  hub = await TestApi.start(() => clock)
  ana = await hub.signIn()
})
afterEach(() => hub.remove())

const post = (path: string, body: unknown, by: string) =>
  hub.ask('POST', `/api/v1${path}`, { body, login: by, key: hub.key() })
const patch = (userId: string, body: unknown, by = ana) =>
  hub.ask('PATCH', `/api/v1/people/${userId}`, { body, login: by })
const get = (path: string, by: string) => hub.ask('GET', `/api/v1${path}`, { login: by })
const codeOf = (link: unknown) => String(link).split('#')[1]
const accept = (code: string | undefined, { name, password }: { name?: string; password: string }) =>
  hub.ask('POST', '/api/v1/invitations/accept', { body: { code, name, password } })

/** What a program's token is asked with, but for the proof. */
const script = { name: 'script', scopes: ['read'], ttlDays: 1 }

async function invite(email: string, role: Role, by = ana): Promise<string | undefined> {
  return codeOf((await post('/invitations', { email, role }, by)).json.link)
}

/** Invited, come in, signed in. */
async function join(person: typeof ben, role: Role): Promise<{ userId: string; login: string }> {
  await accept(await invite(person.email, role), person)
  const login = (await hub.loginOf(person)) ?? ''
  return { userId: String((await get('/me', login)).json.userId), login }
}

describe('an invitation', () => {
  it('lets one person in, with the role that was meant, once', async () => {
    const made = await post('/invitations', { email: ben.email, role: 'operator' }, ana)
    expect(made.status).toBe(201)
    expect(made.json.link).toMatch(/^http:\/\/localhost:4600\/invitation#rhi_/)
    expect((await accept(codeOf(made.json.link), ben)).json).toEqual({ email: ben.email })
    const login = (await hub.loginOf(ben)) ?? ''
    expect((await get('/me', login)).json).toMatchObject({ name: 'Ben', role: 'operator' })
    const again = await accept(codeOf(made.json.link), eve)
    expect([again.status, again.json.error?.code]).toEqual([403, 'INVITATION_INVALID'])
    expect((await get('/invitations', ana)).json.items).toMatchObject([{ email: ben.email, state: 'used' }])
  })

  it('takes the place of an open one for the same address, and says so in the log', async () => {
    const [first, second] = [await invite('Ben@example.com', 'operator'), await invite(ben.email, 'viewer')]
    expect((await accept(first, ben)).json.error?.code).toBe('INVITATION_INVALID')
    expect((await accept(second, ben)).status).toBe(201)
    const made = await hub.store.prisma.audit.findMany({ where: { action: 'person.invite' }, orderBy: { id: 'asc' } })
    expect(made.map(({ detail }) => JSON.parse(detail ?? ''))).toEqual([
      { role: 'operator' },
      { role: 'viewer', replaced: 1 },
    ])
  })

  it('[A20] of an owner for an admin stays when an admin invites the same address to less', async () => {
    const admin = await join(eve, 'admin')
    const [high] = [await invite(ben.email, 'admin'), await invite(ben.email, 'viewer', admin.login)]
    expect((await accept(high, ben)).status).toBe(201)
  })

  it('used by two at once makes one person', async () => {
    const code = await invite(ben.email, 'operator')
    const answers = await Promise.all([accept(code, ben), accept(code, ben), accept(code, ben)])
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 403, 403])
    expect(await hub.store.prisma.user.count()).toBe(2)
  })

  it('[T53] expired, revoked, unknown and wrong look the same, and ten wrong secrets burn it', async () => {
    const refused = async (code: string | undefined) => (await accept(code, ben)).json.error?.code
    const revoked = await post('/invitations', { email: ben.email, role: 'viewer' }, ana)
    await hub.ask('DELETE', `/api/v1/invitations/${revoked.json.invitationId}`, { login: ana, key: hub.key() })
    const late = await invite(ben.email, 'viewer')
    clock += 4 * 24 * 3_600_000
    const stranger = await TestApi.start()
    const login = await stranger.signIn()
    const body = { email: ben.email, role: 'viewer', agents: [] }
    const other = await stranger.ask('POST', '/api/v1/invitations', { body, login, key: hub.key() })
    await stranger.remove()
    const codes = [codeOf(revoked.json.link), late, codeOf(other.json.link), `rhi_${'a'.repeat(60)}`]
    for (const code of codes) expect(await refused(code)).toBe('INVITATION_INVALID')
  })

  it('is hashed at rest, and its answer is not kept with the secret in it', async () => {
    const code = await invite(ben.email, 'viewer')
    const secret = secretOf(code)
    const rows = [await hub.store.prisma.invitation.findMany(), await hub.store.prisma.idempotency.findMany()]
    expect(JSON.stringify(rows)).not.toContain(secret)
  })

  it('is not made for an address that is here already, nor for a machine that is not', async () => {
    expect((await post('/invitations', { email: owner.email, role: 'viewer' }, ana)).json.error?.code).toBe(
      'EMAIL_TAKEN',
    )
    const nowhere = { email: ben.email, role: 'viewer', agents: ['agt_none'] }
    expect((await post('/invitations', nowhere, ana)).json.error?.code).toBe('NOT_FOUND')
  })

  it('stays good when the password is refused', async () => {
    const code = await invite(ben.email, 'viewer')
    expect((await accept(code, { ...ben, password: 'short' })).status).toBe(400)
    expect((await accept(code, { password: ben.password })).json.error?.code).toBe('INVALID_ARGUMENT')
    expect((await accept(code, ben)).status).toBe(201)
  })
})

describe('who manages whom', () => {
  it('an owner everybody, an admin everybody below, nobody else anybody', async () => {
    const admin = await join(ben, 'admin')
    const other = await join(eve, 'operator')
    expect((await patch(other.userId, { role: 'viewer' }, admin.login)).json).toMatchObject({ role: 'viewer' })
    for (const role of ['admin', 'owner']) {
      expect((await patch(other.userId, { role }, admin.login)).json.error?.code).toBe('FORBIDDEN')
    }
    expect((await post('/invitations', { email: 'x@example.com', role: 'admin' }, admin.login)).status).toBe(403)
    expect((await get('/people', other.login)).status).toBe(403)
    expect((await post('/invitations', { email: 'x@example.com', role: 'viewer' }, other.login)).status).toBe(403)
    expect((await patch(admin.userId, { role: 'viewer' }, other.login)).status).toBe(403)
  })

  it('[A20] nobody changes their own rights', async () => {
    const { userId } = (await get('/me', ana)).json
    for (const change of [{ role: 'viewer' }, { disabled: true }, { agents: [] }]) {
      expect((await patch(String(userId), change)).json.error?.code).toBe('FORBIDDEN')
    }
  })

  it('of two owners who disable each other at once one stays', async () => {
    const second = await join(ben, 'owner')
    const first = String((await get('/me', ana)).json.userId)
    const answers = await Promise.all([
      patch(second.userId, { disabled: true }, ana),
      patch(first, { disabled: true }, second.login),
    ])
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(await hub.store.prisma.user.count({ where: { role: 'owner', NOT: { banned: true } } })).toBe(1)
  })

  it('[A22] [T77] who is disabled is nobody at the next request, and may not sign in again until enabled', async () => {
    const { userId, login } = await join(ben, 'operator')
    await patch(userId, { disabled: true })
    expect((await get('/me', login)).status).toBe(401)
    expect(await hub.loginOf(ben)).toBeNull()
    await patch(userId, { disabled: false })
    expect(await hub.loginOf(ben)).not.toBeNull()
  })

  it('a link from an owner sets a new password and ends the old logins', async () => {
    const { userId, login } = await join(ben, 'operator')
    const code = codeOf((await post(`/people/${userId}/recover`, {}, ana)).json.link)
    expect((await accept(code, { password: 'a wholly new one' })).json).toEqual({ email: ben.email })
    expect((await get('/me', login)).status).toBe(401)
    expect(await hub.loginOf(ben)).toBeNull()
    expect(await hub.loginOf({ ...ben, password: 'a wholly new one' })).not.toBeNull()
  })

  it('a newer link for a new password shuts the older one', async () => {
    const { userId } = await join(ben, 'operator')
    const link = async () => codeOf((await post(`/people/${userId}/recover`, {}, ana)).json.link)
    const [first, second] = [await link(), await link()]
    expect((await accept(first, { password: 'of the older one' })).json.error?.code).toBe('INVITATION_INVALID')
    expect((await accept(second, { password: 'a wholly new one' })).status).toBe(201)
  })

  it('[A22] a link for a new password takes back what else opens the account: tokens of programs, and links it had made', async () => {
    const { userId, login } = await join(ben, 'admin')
    const { token } = (await post('/me/tokens', { ...script, password: ben.password }, login)).json
    const asProgram = () => hub.ask('GET', '/api/v1/sessions', { token: String(token) })
    expect((await asProgram()).status).toBe(200)
    const invitation = await invite(eve.email, 'operator', login)
    const code = codeOf((await post(`/people/${userId}/recover`, {}, ana)).json.link)
    expect((await accept(code, { password: 'a wholly new one' })).status).toBe(201)
    expect((await asProgram()).status).toBe(401)
    expect((await accept(invitation, eve)).json.error?.code).toBe('INVITATION_INVALID')
    const row = await hub.store.prisma.audit.findFirst({ where: { action: 'person.recovered' } })
    expect(JSON.parse(row?.detail ?? '{}')).toEqual({ tokensRemoved: 1 })
  })

  it('[A20] [A22] a link for a new password is worth nothing once its person has another role', async () => {
    const admin = await join(ben, 'admin')
    const { userId } = await join(eve, 'operator')
    const code = codeOf((await post(`/people/${userId}/recover`, {}, admin.login)).json.link)
    await patch(userId, { role: 'owner' })
    expect((await accept(code, { password: 'of the admin now' })).json.error?.code).toBe('INVITATION_INVALID')
    expect(await hub.loginOf(eve)).not.toBeNull()
  })

  it.each([
    ['made a viewer', (userId: string) => patch(userId, { role: 'viewer' })],
    ['disabled', (userId: string) => patch(userId, { disabled: true })],
    ['removed', (userId: string) => hub.ask('DELETE', `/api/v1/people/${userId}`, { login: ana, key: hub.key() })],
  ])('[A22] the links of somebody who was %s are worth nothing', async (_what, change) => {
    const admin = await join(ben, 'admin')
    const code = await invite(eve.email, 'operator', admin.login)
    expect((await change(admin.userId)).status).toBe(200)
    expect((await accept(code, eve)).json.error?.code).toBe('INVITATION_INVALID')
    expect((await get('/invitations', ana)).json.items).toMatchObject([{ state: 'revoked' }, { state: 'used' }])
  })

  it('every change of people is in the audit log', async () => {
    const { userId } = await join(ben, 'operator')
    await patch(userId, { role: 'viewer' })
    await hub.ask('DELETE', `/api/v1/people/${userId}`, { login: ana, key: hub.key() })
    const rows = await hub.store.prisma.audit.findMany({ orderBy: { id: 'asc' } })
    expect(rows.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['person.invite', 'person.join', 'person.change', 'person.remove']),
    )
  })
})

describe('a token of a program', () => {
  const make = async (scopes: string[], by = ana, { password } = owner) =>
    (await post('/me/tokens', { ...script, scopes, password }, by)).json as { tokenId: string; token: string }
  const withToken = (token: string, method: string, path: string, body?: unknown) =>
    hub.ask(method, `/api/v1${path}`, { token, key: hub.key(), ...(body === undefined ? {} : { body }) })

  it('[T76] is made for nobody without the password, and wrong ones count: nobody guesses on from an open browser', async () => {
    expect((await post('/me/tokens', script, ana)).json.error?.code).toBe('INVALID_ARGUMENT')
    const guess = () => post('/me/tokens', { ...script, password: 'not the password' }, ana)
    const tries = (await Promise.all(Array.from({ length: 8 }, guess))).map(({ status }) => status)
    expect(tries.sort()).toEqual([401, 401, 401, 401, 401, 429, 429, 429])
    expect((await post('/me/tokens', { ...script, password: owner.password }, ana)).status).toBe(429)
    expect((await get('/me/tokens', ana)).json.items).toEqual([])
    const refused = await hub.store.prisma.audit.findMany({ where: { action: 'api_token.make', outcome: 'refused' } })
    expect(refused.map(({ detail }) => detail)).toEqual(Array(5).fill('{"why":"wrong password"}'))
  })

  it('[CMD-1] is shown again to a repeat of the very request, of which the password is not kept', async () => {
    const key = hub.key()
    const ask = (more: object) =>
      hub.ask('POST', '/api/v1/me/tokens', { body: { ...script, ...more }, login: ana, key })
    const { password } = owner
    const first = await ask({ password })
    expect((await ask({ password })).json).toEqual(first.json)
    expect((await ask({ password: 'not the password' })).json.error?.code).toBe('AUTH_FAILED')
    expect((await ask({ password, name: 'other' })).json.error?.code).toBe('IDEMPOTENCY_MISMATCH')
    const [kept] = await hub.store.prisma.idempotency.findMany({ where: { key } })
    expect(kept?.bodyHash).toBe(createHash('sha256').update(JSON.stringify(script)).digest('hex'))
  })

  it('does what its scopes say and no more', async () => {
    const { token } = await make(['read'])
    expect((await withToken(token, 'GET', '/sessions')).status).toBe(200)
    for (const [method, path, body] of [
      ['POST', '/enrollment-tokens', {}],
      ['GET', '/people', undefined],
      ['POST', '/invitations', { email: ben.email, role: 'viewer' }],
    ] as const) {
      expect((await withToken(token, method, path, body)).json.error?.code).toBe('FORBIDDEN')
    }
  })

  it('[A48] makes no second token and touches no login, whatever its scopes', async () => {
    const { token } = await make(['read', 'decide', 'operate', 'manage'])
    const request = { ...script, password: owner.password }
    expect((await withToken(token, 'POST', '/me/tokens', request)).json.error?.code).toBe('FORBIDDEN')
    expect((await withToken(token, 'GET', '/me/logins')).json.error?.code).toBe('FORBIDDEN')
  })

  it('never does more than its person may now', async () => {
    const { userId, login } = await join(ben, 'operator')
    const { token } = await make(['read', 'manage'], login, ben)
    expect((await withToken(token, 'POST', '/enrollment-tokens', {})).json.error?.code).toBe('FORBIDDEN')
    await patch(userId, { disabled: true })
    expect((await withToken(token, 'GET', '/sessions')).status).toBe(401)
  })

  it('[A21] [T56] garbage, an empty one and one that ran out are nobody, also beside a good login', async () => {
    const { token } = await make(['read'])
    for (const wrong of [
      '',
      'garbage',
      `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`,
      token.replace('rht_', 'rhe_'),
    ]) {
      const answer = await hub.ask('GET', '/api/v1/me', { login: ana, token: wrong || ' ' })
      expect(answer.status).toBe(401)
    }
    clock += 2 * 24 * 3_600_000
    expect((await withToken(token, 'GET', '/me')).status).toBe(401)
  })

  it('is hashed at rest, and is nobody once it was taken back', async () => {
    const { tokenId, token } = await make(['read'])
    expect(JSON.stringify(await hub.store.prisma.apiToken.findMany())).not.toContain(secretOf(token))
    await hub.ask('DELETE', `/api/v1/me/tokens/${tokenId}`, { login: ana, key: hub.key() })
    expect((await withToken(token, 'GET', '/me')).status).toBe(401)
  })
})

describe('my logins', () => {
  it('are listed, and each can be ended from another', async () => {
    const second = await hub.signIn()
    const { items } = (await get('/me/logins', second)).json as { items: Array<{ loginId: string; current: boolean }> }
    expect(items.map(({ current }) => current).sort()).toEqual([false, true])
    const first = items.find(({ current }) => !current)?.loginId
    await hub.ask('DELETE', `/api/v1/me/logins/${first}`, { login: second, key: hub.key() })
    expect([(await get('/me', ana)).status, (await get('/me', second)).status]).toEqual([401, 200])
  })

  it('of somebody else are not there', async () => {
    const { login } = await join(ben, 'operator')
    const { items } = (await get('/me/logins', ana)).json as { items: Array<{ loginId: string }> }
    const answer = await hub.ask('DELETE', `/api/v1/me/logins/${items[0]?.loginId}`, { login, key: hub.key() })
    expect(answer.status).toBe(404)
    expect((await get('/me', ana)).status).toBe(200)
  })
})
