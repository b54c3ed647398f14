/** What a credential is good for, as both connections read it, and the number that says that somebody's rights changed. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { rightsOf, type StandingOf } from '../../core/access/standing'
import { fakeKey } from '../../testing/fake-key'
import { openTestStore, type TestStore } from '../../testing/test-store'

const later = new Date(2_000_000_000_000)
const login = { kind: 'login', id: 'login_1' } as const
const token = { kind: 'token', id: 'tok_1' } as const
const person = { kind: 'person', id: 'u_1' } as const

describe('rights in the database', () => {
  let store: TestStore
  beforeEach(async () => {
    store = await openTestStore()
    const { prisma } = store
    const data = { id: 'u_1', name: 'Ana', email: 'ana@example.com', role: 'operator' }
    await prisma.user.create({ data })
    await prisma.authSession.create({
      data: { id: 'login_1', userId: 'u_1', expiresAt: later, token: 't', ...fakeKey() },
    })
    const made = { createdAt: later, expiresAt: later, secretHash: 'x', name: 'CI' }
    await prisma.apiToken.create({ data: { tokenId: 'tok_1', userId: 'u_1', scopes: '["read"]', ...made } })
    await prisma.machineShare.create({ data: { userId: 'u_1', agentId: 'agt_1', createdAt: later, createdBy: 'x' } })
  })
  afterEach(() => store.remove())

  /** Both ways to read it agree. */
  async function read(of: StandingOf) {
    const inside = await store.transactions.write((tx) => tx.people.standing(of))
    expect(rightsOf(await store.reads.people.standing(of), 0)).toEqual(rightsOf(inside, 0))
    return inside
  }

  it('[AUTH-1] are those of the login, of the token and of the person', async () => {
    const shared = { userId: 'u_1', role: 'operator', banned: false, shared: ['agt_1'] }
    const expiresAt = later.getTime()
    expect(await read(login)).toEqual({ ...shared, scopes: null, expiresAt })
    expect(await read(token)).toEqual({ ...shared, scopes: ['read'], expiresAt })
    expect(await read(person)).toEqual({ ...shared, scopes: null, expiresAt: null })
    await store.prisma.user.update({ where: { id: 'u_1' }, data: { role: 'captain', banned: true } })
    expect(await read(login)).toMatchObject({ role: 'viewer', banned: true })
    await store.prisma.user.delete({ where: { id: 'u_1' } })
    expect([await read(login), await read(token), await read(person)]).toEqual([null, null, null])
  })

  it.each([
    ['a role', () => store.prisma.user.update({ where: { id: 'u_1' }, data: { role: 'viewer' } })],
    ['a ban', () => store.prisma.user.update({ where: { id: 'u_1' }, data: { banned: true } })],
    ['the end of a person', () => store.prisma.user.delete({ where: { id: 'u_1' } })],
    ['the end of a login', () => store.prisma.authSession.delete({ where: { id: 'login_1' } })],
    ['a shorter login', () => store.prisma.authSession.updateMany({ data: { expiresAt: new Date(1) } })],
    ['the end of a token', () => store.prisma.apiToken.delete({ where: { tokenId: 'tok_1' } })],
    ['other scopes', () => store.prisma.apiToken.updateMany({ data: { scopes: '[]' } })],
    ['the end of a share', () => store.prisma.machineShare.deleteMany()],
  ])('[AUTH-1] %s raises the number in its own transaction', async (_what, change) => {
    const before = await store.reads.hub.rightsVersion()
    await change()
    expect(await store.reads.hub.rightsVersion()).toBeGreaterThan(before)
  })

  it('is not raised by what takes nothing away', async () => {
    const before = await store.reads.hub.rightsVersion()
    await store.prisma.user.update({ where: { id: 'u_1' }, data: { name: 'Anna', twoFactorEnabled: true } })
    await store.transactions.write((tx) => tx.apiTokens.touch('tok_1', 5))
    expect(await store.reads.hub.rightsVersion()).toBe(before)
  })
})
