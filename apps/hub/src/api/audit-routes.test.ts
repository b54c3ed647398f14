/**
 * Every route that changes something leaves its row in the audit log. The list of routes is read from the hub's own
 * document: a new one has no line here and fails.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deeds, type Json, World } from '../testing/route-deeds'
import { ana, TestHub } from '../testing/test-hub'

describe('what changes something', () => {
  let hub: TestHub
  let world: World
  beforeAll(async () => {
    const accounts = { create: () => world.person(), hash: async () => 'hash' }
    hub = await TestHub.start({ accounts })
    world = new World(hub)
    const { userId: id, name, role } = ana
    await hub.store.prisma.user.create({ data: { id, name, email: 'ana@example.com', role } })
  })
  afterAll(() => hub.stop())

  const newest = async () => (await hub.core.auditLog.page(ana, { limit: 1 })).items[0]

  it('is listed here, route by route, as the hub documents itself', async () => {
    const { paths } = (await world.send('GET', '/openapi.json')) as { paths: Record<string, Json> }
    const documented = Object.entries(paths).flatMap(([path, methods]) =>
      // What the door leaves is told by the tests of each: audit, second factors, passkeys.
      path.startsWith('/api/auth/')
        ? []
        : Object.keys(methods)
            .filter((method) => method !== 'get')
            .map((method) => `${method} ${path.replace('/api/v1', '')}`),
    )
    expect(Object.keys(deeds).sort()).toEqual(documented.sort())
  })

  it.each(Object.entries(deeds))('%s is in the audit log', async (_route, { leaves, call }) => {
    const before = await newest()
    await call(world)
    const after = await newest()
    if (leaves === null) expect(after).toEqual(before)
    else
      expect(after).toMatchObject({
        action: leaves,
        outcome: 'ok',
        id: expect.not.toSatisfy((id) => id === before?.id),
      })
  })

  it('says from where, and which prompt and which action by their digests alone', async () => {
    const [decided] = (await hub.core.auditLog.page(ana, { limit: 1, action: 'permission' })).items
    expect(JSON.parse(decided?.detail ?? '')).toMatchObject({ decision: 'allow', digest: 'digest-r1' })
    const [prompted] = (await hub.core.auditLog.page(ana, { limit: 1, action: 'prompt' })).items
    expect(JSON.parse(prompted?.detail ?? '')).toEqual({
      commandId: expect.any(String),
      promptDigest: '3639efcd08abb273b1619e82e78c29a7df02c1051b1820e99fc395dcaa3326b8', // of "Hi"
    })
    expect([decided?.address, prompted?.address]).toEqual(['10.0.0.9', '10.0.0.9'])
    expect(await hub.core.auditLog.check()).toMatchObject({ intact: true })
  })
})
