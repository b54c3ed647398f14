import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openTestStore, type TestStore } from '../testing/test-store'
import { type Auth, createAuth, provisioning } from './better-auth'
import { createSetup } from './setup'
import { createWebGuard } from './web-guard'

const url = 'http://localhost:4600'
const owner = { name: 'Ana', email: 'ana@example.com', password: 'correct horse battery' }
const ben = { name: 'Ben', email: 'ben@example.com', password: 'battery horse correct', role: 'operator' as const }

describe('a person', () => {
  let store: TestStore
  let auth: Auth
  let headers: Headers
  let userId: string
  let told: string[]
  beforeEach(async () => {
    store = await openTestStore()
    auth = createAuth({
      prisma: store.prisma,
      publicUrl: url,
      guard: createWebGuard(url, 4600, true),
      secret: 's'.repeat(40),
      onLoginEnded: (loginId) => told.push(`login ${loginId}`),
      onPersonChanged: (id) => told.push(`person ${id}`),
    })
    const setup = createSetup(store.prisma, auth)
    await setup.complete({ code: (await setup.issueCode()) ?? '', ...owner })
    headers = new Headers({ cookie: await cookieOf(owner) })
    userId = (await provisioning.run(true, () => auth.api.createUser({ body: ben }))).user.id
    told = []
  })
  afterEach(() => store.remove())

  async function cookieOf(body: { email: string; password: string }): Promise<string> {
    const answer = await auth.api.signInEmail({ body, asResponse: true })
    return answer.headers
      .getSetCookie()
      .map((line) => line.split(';')[0])
      .join('; ')
  }

  it('[T77] whose role changes loses the sockets that were opened with the old one', async () => {
    await auth.api.setRole({ body: { userId, role: 'viewer' }, headers })
    expect(told).toEqual([`person ${userId}`])
  })

  it('[T77] who is banned or removed loses logins and sockets', async () => {
    await cookieOf(ben)
    const { id } = await store.prisma.authSession.findFirstOrThrow({ where: { userId } })
    await auth.api.banUser({ body: { userId }, headers })
    expect(told).toEqual(expect.arrayContaining([`person ${userId}`, `login ${id}`]))
    told = []
    await auth.api.removeUser({ body: { userId }, headers })
    expect(told).toEqual([`person ${userId}`])
  })
})
