/** JOIN-1: where a person has to admit a machine first, it can do nothing at all until then. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FakeAgent } from '../testing/fake-agent'
import { ana, ben, TestHub, vic } from '../testing/test-hub'

describe('a machine that needs approval', () => {
  let hub: TestHub
  beforeEach(async () => {
    hub = await TestHub.start()
  })
  afterEach(() => hub.stop())

  const requireIt = (requireApproval = true) => hub.core.settings.change(ana, { requireApproval })
  const token = async (request = {}) => (await hub.core.agents.makeToken(ana, request, hub.key())).token
  const joins = async (secret: string) => {
    const agent = new FakeAgent(hub.core, hub.url)
    await agent.enrol(secret)
    return agent
  }
  const stateOf = async (agent: FakeAgent) => (await hub.core.agents.get(ana, agent.agentId)).state
  const rows = async (action: string) =>
    (await hub.store.prisma.audit.findMany({ where: { action } })).map(({ actorId, object, outcome }) => ({
      actorId,
      object,
      outcome,
    }))

  it('[JOIN-1.8] waits by the setting of the hub, also with a token from before, and by its own token without it', async () => {
    const before = await token()
    const hurried = await joins(await token())
    const asked = await joins(await token({ requireApproval: true }))
    await requireIt()
    const late = await joins(before)
    expect([await stateOf(hurried), await stateOf(asked), await stateOf(late)]).toEqual([
      'active',
      'pending',
      'pending',
    ])
    await requireIt(false)
    expect([await stateOf(await joins(await token())), await stateOf(late)]).toEqual(['active', 'pending'])
  })

  it("[JOIN-1] the hub's own machine, enrolled with a token from the hub's disk, waits for nobody", async () => {
    await requireIt()
    const { token: local } = await hub.core.agents.makeLocalToken('here')
    expect(await stateOf(await joins(local))).toBe('active')
  })

  it('[JOIN-1.9] is told so by its code, has no socket and no session, and comes in by itself once admitted', async () => {
    const agent = await joins(await token({ requireApproval: true }))
    expect(await agent.open()).toBe('revoked')
    await agent.waiter.until(() => !agent.socket.connected)
    expect([agent.revoked.map(({ code }) => code), agent.welcome]).toEqual([['AGENT_PENDING'], null])
    const settings = { backend: 'scripted', workDir: '/code' }
    const create = hub.core.sessions.create(ana, { agentId: agent.agentId, settings }, hub.key())
    await expect(create).rejects.toMatchObject({ code: 'AGENT_PENDING' })
    expect(await hub.core.agents.get(ana, agent.agentId)).toMatchObject({ online: false, lastSeenAt: null })
    await hub.core.agents.approve(ana, agent.agentId, hub.key())
    await agent.connect()
    expect(await rows('agent.approve')).toEqual([{ actorId: ana.userId, object: agent.agentId, outcome: 'ok' }])
  })

  it('[JOIN-1.10] refused is final for that key: no second chance, no other token, no way around', async () => {
    const agent = await joins(await token({ requireApproval: true }))
    const { agentId } = agent
    await hub.core.agents.refuse(ana, agentId, hub.key())
    expect(await agent.open()).toBe('revoked')
    expect(agent.revoked.map(({ code }) => code)).toEqual(['AGENT_REVOKED'])
    for (const again of ['approve', 'enable', 'disable', 'refuse'] as const)
      await expect(hub.core.agents[again](ana, agentId, hub.key())).rejects.toMatchObject({ code: 'AGENT_REVOKED' })
    const fresh = await token()
    await expect(agent.enrol(fresh)).rejects.toMatchObject({ code: 'ENROLLMENT_INVALID' })
    expect(await stateOf(await joins(fresh))).toBe('active') // the token was not spent on it
    expect(await rows('agent.refuse')).toEqual([{ actorId: ana.userId, object: agentId, outcome: 'ok' }])
  })

  it('[JOIN-1] is neither disabled nor enabled into being admitted', async () => {
    const { agentId } = await joins(await token({ requireApproval: true }))
    for (const around of ['enable', 'disable'] as const)
      await expect(hub.core.agents[around](ana, agentId, hub.key())).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    const { agentId: active } = await hub.enrol()
    for (const late of ['approve', 'refuse'] as const)
      await expect(hub.core.agents[late](ana, active, hub.key())).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  })

  it('[JOIN-1.10] is admitted by who manages machines; the setting is for people who run the hub, and no program', async () => {
    const { agentId } = await joins(await token({ requireApproval: true }))
    const program = { ...ana, only: new Set(['agent.read', 'agent.manage', 'token.manage'] as const) }
    const forbidden = { code: 'FORBIDDEN' }
    for (const actor of [ben, vic]) {
      for (const deed of ['approve', 'refuse'] as const)
        await expect((async () => hub.core.agents[deed](actor, agentId, hub.key()))()).rejects.toMatchObject(forbidden)
    }
    for (const actor of [ben, vic, program])
      await expect(hub.core.settings.change(actor, { requireApproval: false })).rejects.toMatchObject(forbidden)
    expect(await requireIt()).toEqual({ requireApproval: true, hubKeyFingerprint: hub.core.hub.keyFingerprint })
    expect(await rows('hub.change')).toEqual([{ actorId: ana.userId, object: hub.core.hub.hubId, outcome: 'ok' }])
  })
})
