import type { SessionEvent } from '@roundhouse/backend-types'
import { checkContent } from '@roundhouse/bus'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { person, program } from '../../../testing/bus-program'
import type { FakeAgent } from '../../../testing/fake-agent'
import { liveSession, requested } from '../../../testing/scenario'
import { ana, ben, TestHub } from '../../../testing/test-hub'

describe('[BUS-13] what the hub says of each session', () => {
  let hub: TestHub
  let agent: FakeAgent
  let sessionId: string
  beforeEach(async () => {
    hub = await TestHub.start()
    agent = await hub.connectedAgent()
    sessionId = await liveSession(hub, agent)
  })
  afterEach(() => hub.stop())

  const facts = async (actor = ana) =>
    (await hub.core.bus.page(actor, { after: 0, pattern: 'system.**', limit: 99 })).items.filter(
      ({ topic }) => !topic.startsWith('system.peer.'),
    )
  const closed: SessionEvent = {
    kind: 'permission_resolved',
    requestId: 'r1',
    callId: 'c1',
    outcome: 'refused',
    decision: 'deny',
    reason: 'a secret reason',
    digest: 'digest-r1',
  }
  const turn: SessionEvent = { kind: 'turn_completed', turnId: 't1', reason: 'completed', cost: 0.25, duration: 1_200 }
  const ended: SessionEvent = { kind: 'session_ended', why: 'stopped' }

  it('[BUS-13.1] is that a permission was asked and closed, and that a turn and the session ended, in the order of its log', async () => {
    await agent.emit(sessionId, requested('r1'), closed, turn, ended)
    await expect.poll(async () => (await facts()).length).toBe(4)
    const of = { session_id: sessionId }
    expect((await facts()).map(({ topic, from_peer, data }) => [topic, from_peer, data])).toEqual([
      ['system.permission.asked', 'hub', { ...of, request_id: 'r1', tool: 'Bash' }],
      ['system.permission.closed', 'hub', { ...of, request_id: 'r1', outcome: 'refused', decision: 'deny' }],
      [
        'system.turn.completed',
        'hub',
        { ...of, turn_id: 't1', reason: 'completed', cost_usd: 0.25, duration_ms: 1_200 },
      ],
      ['system.session.ended', 'hub', { ...of, why: 'stopped' }],
    ])
    for (const { topic, schema, data } of await facts()) expect(checkContent({ topic, schema, data })).toBeNull()
  })

  it('[BUS-13.2] has the ids of the hub and nothing that a person or a program wrote', async () => {
    await agent.emit(sessionId, requested('r1'), closed)
    await expect.poll(async () => (await facts()).length).toBe(2)
    expect(JSON.stringify(await facts())).not.toMatch(/secret|digest|rm -rf|input/)
  })

  it('[BUS-13.3] is said once for each event, also by a follower that begins anew', async () => {
    await agent.emit(sessionId, turn, ended)
    await expect.poll(async () => (await facts()).length).toBe(2)
    const before = await facts()
    await hub.store.prisma.follower.deleteMany({ where: { name: 'bus' } })
    const again = await TestHub.start({ file: hub.store.file })
    try {
      await again.core.tick()
      await again.core.close()
      expect(await facts()).toEqual(before)
    } finally {
      await again.crash()
      await again.store.close()
    }
  })

  it('[BUS-13.4] is heard by whoever reaches the machine, and by nobody else', async () => {
    await person(hub, 'fay', 'viewer', [agent.agentId])
    await person(hub, 'gus', 'viewer')
    const [near, far] = [await program(hub, 'fay', 'read'), await program(hub, 'gus', 'read')]
    await agent.emit(sessionId, turn)
    await expect.poll(async () => (await facts(near.actor)).length).toBe(1)
    expect(await facts(far.actor)).toEqual([])
  })

  it('[BUS-13.1] is that a tree was stopped, with the transaction that stops it', async () => {
    await hub.core.trees.setSpawning(ben, sessionId, { on: true, budgetUsd: 5 }, hub.key())
    let rings = 0
    hub.core.doorbells.on('bus', () => {
      rings += 1
    })
    await hub.core.trees.stop(ben, sessionId, hub.key())
    expect((await facts()).map(({ topic, data }) => [topic, data])).toEqual([
      ['system.tree.stopped', { root_id: sessionId, why: 'person' }],
    ])
    expect(rings).toBe(1)
    await hub.core.trees.stop(ben, sessionId, hub.key())
    expect(await facts()).toHaveLength(1)
  })

  it('[BUS-2.8] of a deleted session leaves its offsets and nothing else', async () => {
    await agent.emit(sessionId, requested('r1'), turn)
    await expect.poll(async () => (await facts()).length).toBe(2)
    await hub.core.sessions.remove(ana, sessionId, hub.key())
    await hub.core.tick()
    await expect.poll(facts).toEqual([])
  })
})
