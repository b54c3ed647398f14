import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openTestStore, type TestStore } from '../testing/test-store'
import { createAuthenticate } from './authenticate'
import { createAuth } from './better-auth'
import { createSetup } from './setup'
import { createWebGuard } from './web-guard'

const url = 'http://localhost:4600'
const owner = { name: 'Ana', email: 'ana@example.com', password: 'correct horse battery' }

let store: TestStore
let cookie: string
let asked: number
let clock: number
let authenticate: (cookie: string | undefined) => ReturnType<ReturnType<typeof createAuthenticate>>

beforeEach(async () => {
  store = await openTestStore()
  const guard = createWebGuard(url, 4600, true)
  const auth = createAuth({
    prisma: store.prisma,
    publicUrl: url,
    guard,
    secret: 's'.repeat(40),
    onLoginEnded: () => {},
    onPersonChanged: () => {},
  })
  const setup = createSetup(store.prisma, auth)
  await setup.complete({ code: (await setup.issueCode()) ?? '', ...owner })
  const answer = await auth.api.signInEmail({ body: owner, asResponse: true })
  cookie = answer.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
  asked = 0
  clock = Date.now()
  const getSession = (...args: Parameters<typeof auth.api.getSession>) => {
    asked++
    return auth.api.getSession(...args)
  }
  const counted = { api: { ...auth.api, getSession } } as typeof auth
  const authenticateAny = createAuthenticate({
    auth: counted,
    findLogin: store.findLogin,
    byToken: () => null,
    now: () => clock,
  })
  authenticate = (shown) => authenticateAny({ cookie: shown })
})
afterEach(() => store.remove())

describe('who sends a cookie', () => {
  it('a signature is checked once, the person is read every time', async () => {
    const first = await authenticate(cookie)
    expect(first).toMatchObject({ actor: { name: 'Ana', role: 'owner' }, email: owner.email })
    await store.prisma.user.updateMany({ data: { role: 'viewer' } })
    expect(await authenticate(cookie)).toEqual({
      ...first,
      actor: { ...first?.actor, role: 'viewer', agents: new Set() },
    })
    expect(asked).toBe(1)
  })

  it('[T77] [I10] a login that was ended is nobody at its next request', async () => {
    expect(await authenticate(cookie)).not.toBeNull()
    await store.prisma.authSession.deleteMany()
    expect(await authenticate(cookie)).toBeNull()
    expect(await authenticate(cookie)).toBeNull()
  })

  it('a banned person is nobody', async () => {
    expect(await authenticate(cookie)).not.toBeNull()
    await store.prisma.user.updateMany({ data: { banned: true } })
    expect(await authenticate(cookie)).toBeNull()
  })

  it('a login runs out', async () => {
    expect(await authenticate(cookie)).not.toBeNull()
    clock += 400 * 86_400_000
    expect(await authenticate(cookie)).toBeNull()
  })

  it('a cookie whose signature is not ours is nobody, and so is none', async () => {
    const forged = cookie.replace(/(session_token=[^.%]+)([.%].*)/, '$1.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA%3D')
    expect(forged).not.toBe(cookie)
    expect(await authenticate(forged)).toBeNull()
    expect(await authenticate(undefined)).toBeNull()
  })
})
