import type { SecondFactors } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { codeOf } from '../testing/authenticator'
import { fakeKey } from '../testing/fake-key'
import { owner, TestApi } from '../testing/test-api'

const STEP_MS = 30_000

let hub: TestApi
let ana: string
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'], now: 1_790_000_000_000 })
  hub = await TestApi.start()
  ana = await hub.signIn()
})
afterEach(async () => {
  await hub.remove()
  vi.useRealTimers()
})

const { password } = owner
const script = { name: 'script', scopes: ['read', 'decide', 'operate', 'manage'], ttlDays: 1 }
const pass = (ms: number) => vi.advanceTimersByTime(ms)
const post = (path: string, body: unknown, login = ana) =>
  hub.ask('POST', `/api/v1${path}`, { body, login, key: hub.key() })
const factors = async (login = ana) =>
  (await hub.ask('GET', '/api/v1/me/factors', { login })).json as unknown as SecondFactors
const statusOf = async (login: string) => (await hub.ask('GET', '/api/v1/me', { login })).status
/** The key that showed the password shows the code, and is the login from then on. */
const secondStep = (newKey: string, code: string, { address, login }: { address?: string; login?: string } = {}) =>
  hub.ask('POST', '/api/auth/second-step', {
    body: { code },
    newKey,
    ...(address ? { address } : {}),
    ...(login ? { login } : {}),
  })
const rows = () => hub.store.prisma.audit.findMany({ orderBy: { id: 'asc' } })
const audited = async () => (await rows()).map(({ action, outcome }) => `${action} ${outcome}`)

/** The password was right; the code is owed by this key. */
async function half(person: { email: string; password: string } = owner): Promise<string> {
  const { email, password } = person
  const newKey = await hub.newKey()
  const answer = await hub.ask('POST', '/api/auth/sign-in/email', { body: { email, password }, newKey })
  expect(answer.json).toEqual({ ok: true, codeNeeded: true })
  return newKey
}

/** Turned on with a code that is spent; the next one is good after `pass`. */
async function turnOn(login = ana): Promise<{ secret: string; backupCodes: string[] }> {
  const { secret } = (await post('/me/totp', { password }, login)).json as { secret: string }
  const { backupCodes } = (await post('/me/totp/confirm', { code: codeOf(secret) }, login)).json as {
    backupCodes: string[]
  }
  pass(STEP_MS)
  return { secret, backupCodes }
}

describe('turning codes on', () => {
  it('asks for the password, then for a code, and only then for codes at the door', async () => {
    expect((await post('/me/totp', { password: 'not the password' })).json.error?.code).toBe('AUTH_FAILED')
    const offer = (await post('/me/totp', { password })).json as { secret: string; uri: string }
    expect(offer.uri).toMatch(/^otpauth:\/\/totp\/Roundhouse:ana%40example\.com\?secret=/)
    expect((await factors()).totp).toBe(false)
    expect(await hub.loginOf(owner)).not.toBeNull()
    expect((await post('/me/totp/confirm', { code: '000000' })).json.error?.code).toBe('AUTH_FAILED')
    const confirmed = await post('/me/totp/confirm', { code: codeOf(offer.secret) })
    expect(confirmed.json.backupCodes).toHaveLength(10)
    expect(await factors()).toEqual({ totp: true, backupCodesLeft: 10, passkeys: [] })
    await half()
    expect(await audited()).toEqual(expect.arrayContaining(['totp.enable refused', 'totp.enable ok']))
  })

  it('ends the other logins, which have shown no code, and keeps the one that did it', async () => {
    const other = await hub.signIn()
    await turnOn()
    expect([await statusOf(ana), await statusOf(other)]).toEqual([200, 401])
  })

  it('seals the secret and the codes at rest, and keeps no answer that holds them', async () => {
    const { secret, backupCodes } = await turnOn()
    const { prisma } = hub.store
    const rest = JSON.stringify([await prisma.twoFactor.findMany(), await prisma.idempotency.findMany(), await rows()])
    for (const open of [secret, ...backupCodes]) expect(rest).not.toContain(open)
  })

  it('shows backup codes again to a repeat of the very request alone', async () => {
    const { secret } = (await post('/me/totp', { password })).json as { secret: string }
    const key = hub.key()
    const confirm = () =>
      hub.ask('POST', '/api/v1/me/totp/confirm', { body: { code: codeOf(secret) }, login: ana, key })
    const first = await confirm()
    expect((await confirm()).json).toEqual(first.json)
    pass(11 * 60_000)
    expect((await confirm()).json.error?.code).toBe('SHOWN_ONCE')
  })

  it('is not done twice, nor by a program', async () => {
    const { secret } = await turnOn()
    expect((await post('/me/totp', { password })).json.error?.code).toBe('REV_CHANGED')
    const made = await post('/me/tokens', { ...script, password, code: codeOf(secret) })
    const token = String(made.json.token)
    const asked = { token, key: hub.key(), body: { password } }
    expect((await hub.ask('POST', '/api/v1/me/totp', asked)).json.error?.code).toBe('FORBIDDEN')
    expect((await hub.ask('GET', '/api/v1/me/factors', { token })).json.error?.code).toBe('FORBIDDEN')
  })
})

describe('a new password', () => {
  it('[T76] is no way to guess the old one: five wrong ones from anywhere are the end of it', async () => {
    const change = (currentPassword: string, address: string) =>
      hub.ask('POST', '/api/auth/change-password', {
        body: { currentPassword, newPassword: 'a wholly new one' },
        login: ana,
        address,
      })
    const tries = []
    for (let i = 0; i < 6; i++) tries.push((await change('not the password', `10.0.0.${i}`)).status)
    expect(tries).toEqual([401, 401, 401, 401, 401, 429])
    expect((await change(password, '10.0.0.9')).status).toBe(429)
    pass(16 * 60_000)
    expect((await change(password, '10.0.0.9')).status).toBe(200)
  })
})

describe('the second step', () => {
  it('lets in with the code of now, of the step before and of the one after, and no other', async () => {
    const { secret } = await turnOn()
    pass(10 * STEP_MS)
    for (const [steps, status] of [
      [-2, 401],
      [2, 401],
      [-1, 200],
      [0, 200],
      [1, 200],
    ] as const) {
      expect([steps, (await secondStep(await half(), codeOf(secret, steps))).status]).toEqual([steps, status])
    }
  })

  it('[T75] ends what this browser had before, and gives a login of its own', async () => {
    const { secret } = await turnOn()
    const first = await half()
    const done = await secondStep(first, codeOf(secret))
    expect([done.json, await statusOf(first)]).toEqual([{ ok: true }, 200])
    const body = { email: owner.email, password }
    await hub.ask('POST', '/api/auth/sign-in/email', { body, login: first, newKey: await hub.newKey() })
    expect(await statusOf(first)).toBe(401)
  })

  it('[T75] ends also what came into this browser between password and code', async () => {
    const { secret } = await turnOn()
    const [between, last] = [await half(), await half()]
    await secondStep(between, codeOf(secret))
    pass(STEP_MS)
    await secondStep(last, codeOf(secret), { login: between })
    expect([await statusOf(between), await statusOf(last)]).toEqual([401, 200])
  })

  it('takes a code once: not again, not an older one, and of four at once one', async () => {
    const { secret } = await turnOn()
    const halves = [await half(), await half(), await half(), await half()]
    const answers = await Promise.all(halves.map((key) => secondStep(key, codeOf(secret))))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401])
    expect(await hub.store.prisma.authSession.count()).toBe(2)
    const older = await secondStep(await half(), codeOf(secret, -1))
    expect(older.json.error?.code).toBe('AUTH_FAILED')
    const whys = (await rows()).flatMap(({ action, detail }) => (action === 'login.second_step' ? [detail] : []))
    expect(whys.filter((why) => why?.includes('used code'))).toHaveLength(4)
  })

  it('takes a code once also where two hubs share the database', async () => {
    const { secret } = await turnOn()
    const [one, other] = [hub.restarted(), hub.restarted()]
    const halves = [await half(), await half(), await half(), await half()]
    const spent = await Promise.all(
      [one, other, one, other].map(({ logins }, i) => {
        const key = { keyId: halves[i] ?? '', publicKey: `key ${i}` }
        return logins.byCode({ key, former: null, address: '', device: '', userAgent: '' }, codeOf(secret))
      }),
    )
    expect(spent.filter((outcome) => outcome === 'in')).toHaveLength(1)
    expect(spent.filter((outcome) => outcome !== 'in')).toEqual(Array(3).fill({ why: 'used code' }))
  })

  it('takes a backup code once, of four at once one, and says so in the audit log', async () => {
    const { backupCodes } = await turnOn()
    const code = backupCodes[0] ?? ''
    const halves = [await half(), await half(), await half(), await half()]
    const answers = await Promise.all(halves.map((key) => secondStep(key, code)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect((await secondStep(await half(), code)).status).toBe(401)
    const inside = halves[answers.findIndex(({ status }) => status === 200)] ?? ''
    expect(await factors(inside)).toMatchObject({ backupCodesLeft: 9 })
    expect((await audited()).filter((row) => row === 'backup_code.use ok')).toHaveLength(1)
    expect((await secondStep(await half(), (backupCodes[1] ?? '').replace('-', ''))).status).toBe(200)
  })

  it("takes no code of another person, with or without that person's login beside it", async () => {
    await turnOn()
    const ben = { name: 'Ben', email: 'ben@example.com', password: 'battery horse correct' }
    const link = String((await post('/invitations', { email: ben.email, role: 'viewer' })).json.link)
    const joining = { code: link.split('#')[1], name: ben.name, password: ben.password }
    await hub.ask('POST', '/api/v1/invitations/accept', { body: joining })
    const his = (await hub.loginOf(ben)) ?? ''
    const offer = (await post('/me/totp', { password: ben.password }, his)).json as { secret: string }
    const { backupCodes } = (await post('/me/totp/confirm', { code: codeOf(offer.secret) }, his)).json as {
      backupCodes: string[]
    }
    pass(STEP_MS)
    const hers = await half()
    for (const code of [codeOf(offer.secret), backupCodes[0] ?? '']) {
      expect((await secondStep(hers, code, { login: his })).status).toBe(401)
      expect((await secondStep(hers, code)).status).toBe(401)
    }
    expect(await statusOf(hers)).toBe(401)
  })

  it('[T76] [A46] takes five wrong codes, counted exactly, however many come at once and from wherever', async () => {
    const { secret } = await turnOn()
    const halves = [await half(), await half(), await half(), await half()]
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => secondStep(halves[i % 4] ?? '', '000000', { address: `10.0.0.${i}` })),
    )
    const counts = [401, 429].map((status) => answers.filter((answer) => answer.status === status).length)
    expect(counts).toEqual([5, 45])
    expect((await secondStep(await half(), codeOf(secret))).json.error?.code).toBe('RATE_LIMITED')
    pass(15 * 60_000)
    expect((await secondStep(await half(), codeOf(secret))).status).toBe(200)
  })

  it('is over after ten minutes, and nothing without the password before it', async () => {
    const { secret } = await turnOn()
    const late = await half()
    pass(11 * 60_000)
    expect((await secondStep(late, codeOf(secret))).json.error?.code).toBe('AUTH_REQUIRED')
    expect((await secondStep(await hub.newKey(), codeOf(secret))).json.error?.code).toBe('AUTH_REQUIRED')
    expect((await secondStep('', codeOf(secret))).json.error?.code).toBe('AUTH_REQUIRED')
  })

  it('[A22] [T77] does not let in who was disabled meanwhile', async () => {
    const { secret } = await turnOn()
    const login = await half()
    await hub.store.prisma.user.updateMany({ data: { banned: true } })
    expect((await secondStep(login, codeOf(secret))).status).toBe(401)
  })
})

describe('whoever makes a token for a program', () => {
  it('shows a code as well where codes are on, which is spent, and a repeat of the very request needs no other', async () => {
    const { secret } = await turnOn()
    const key = hub.key()
    const make = (proof: object, by = hub.key()) =>
      hub.ask('POST', '/api/v1/me/tokens', { body: { ...script, ...proof }, login: ana, key: by })
    expect((await make({ password })).json.error?.code).toBe('AUTH_FAILED')
    expect((await make({ password, code: '000000' })).json.error?.code).toBe('AUTH_FAILED')
    const proof = { password, code: codeOf(secret) }
    const made = await make(proof, key)
    expect(made.status).toBe(201)
    expect((await make(proof, key)).json).toEqual(made.json)
    expect((await make(proof)).json.error?.code).toBe('AUTH_FAILED')
    expect(await hub.store.prisma.apiToken.count()).toBe(1)
    expect((await audited()).filter((row) => row.startsWith('api_token'))).toEqual([
      ...Array(2).fill('api_token.make refused'),
      'api_token.make ok',
      'api_token.make refused',
    ])
  })
})

describe('turning codes off', () => {
  it('asks for the password and a code, of the authenticator or a backup code', async () => {
    const { secret, backupCodes } = await turnOn()
    const off = (proof: object) => post('/me/totp/remove', proof)
    expect((await off({ password })).json.error?.code).toBe('AUTH_FAILED')
    expect((await off({ password: 'not the password', code: codeOf(secret) })).json.error?.code).toBe('AUTH_FAILED')
    expect((await off({ password, code: '000000' })).json.error?.code).toBe('AUTH_FAILED')
    expect((await off({ password, code: backupCodes[3] })).json).toEqual({ ok: true })
    expect(await factors()).toEqual({ totp: false, backupCodesLeft: 0, passkeys: [] })
    expect(await hub.loginOf(owner)).not.toBeNull()
    expect(await audited()).toEqual(
      expect.arrayContaining(['totp.disable refused', 'backup_code.use ok', 'totp.disable ok']),
    )
  })

  it('[T76] counts what is wrong: nobody guesses on from an open browser', async () => {
    await turnOn()
    const tries = await Promise.all(
      Array.from({ length: 12 }, () => post('/me/totp/remove', { password, code: '000000' })),
    )
    expect(tries.filter(({ status }) => status === 401)).toHaveLength(5)
    expect(tries.filter(({ status }) => status === 429)).toHaveLength(7)
  })

  it('new backup codes end the old ones', async () => {
    const { secret, backupCodes } = await turnOn()
    const made = await post('/me/backup-codes', { password, code: codeOf(secret) })
    expect(made.json.backupCodes).toHaveLength(10)
    expect((await secondStep(await half(), backupCodes[0] ?? '')).status).toBe(401)
    const [fresh = ''] = made.json.backupCodes as string[]
    expect((await secondStep(await half(), fresh)).status).toBe(200)
  })

  it('happens with a link for a new password, and the audit log says so', async () => {
    await turnOn()
    const { id: userId } = await hub.store.prisma.user.findFirstOrThrow()
    const other = { id: 'u_other', name: 'Other', email: 'other@example.com', role: 'owner' }
    await hub.store.prisma.user.create({ data: other })
    const login = {
      id: 'login_other',
      userId: other.id,
      token: 'x',
      expiresAt: new Date(Date.now() + 60_000),
      ...fakeKey(),
    }
    await hub.store.prisma.authSession.create({ data: login })
    const credential = { kind: 'login', id: login.id } as const
    const actor = { userId: other.id, name: other.name, role: 'owner', agents: null, credential } as const
    const { link } = await hub.core.people.recover(actor, userId, hub.key())
    const next = { code: link.split('#')[1], password: 'a wholly new password' }
    await hub.ask('POST', '/api/v1/invitations/accept', { body: next })
    expect(await hub.loginOf({ ...owner, password: next.password })).not.toBeNull()
    const row = (await rows()).find(({ action }) => action === 'person.recovered')
    expect(JSON.parse(row?.detail ?? '{}')).toEqual({ totp: 'removed' })
  })
})
