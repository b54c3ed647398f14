import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { person, program } from '../../testing/bus-program'
import type { FakeAgent } from '../../testing/fake-agent'
import { liveSession, settings } from '../../testing/scenario'
import { ana, ben, TestHub, vic } from '../../testing/test-hub'

describe('a tree of sessions', () => {
  let hub: TestHub
  let agent: FakeAgent
  let root: string
  beforeEach(async () => {
    hub = await TestHub.start()
    agent = await hub.connectedAgent()
    root = await liveSession(hub, agent)
  })
  afterEach(() => hub.stop())

  const allow = (sessionId: string, actor = ben, budget: object = { budgetUsd: 5 }) =>
    hub.core.trees.setSpawning(actor, sessionId, { on: true, ...budget }, hub.key())
  const grow = async (parentId: string, depth = 1) => {
    const sessionId = await liveSession(hub, agent)
    await hub.store.prisma.treeNode.create({ data: { sessionId, parentId, rootId: root, depth, createdAt: 1n } })
    return sessionId
  }
  const listed = async (sessionId: string) =>
    (await hub.core.sessions.list(ana, { limit: 50 })).items.find((one) => one.sessionId === sessionId)
  const stops = () => agent.commands.flatMap(({ body, sessionId }) => (body.kind === 'session.stop' ? [sessionId] : []))
  const ended = (sessionId: string) => agent.emit(sessionId, { kind: 'session_ended', why: 'stopped' })
  const audited = async () =>
    (await hub.core.auditLog.page(ana, { limit: 20 })).items.map(({ action, actorName }) => `${actorName} ${action}`)

  it('[TREE-1.1] starts others only after a person allowed it with a budget, which is shown and audited', async () => {
    expect((await listed(root))?.spawning).toBeUndefined()
    const on = await allow(root)
    expect(on.spawning).toMatchObject({ by: ben.userId, byName: 'Ben', budgetUsd: 5, costUsd: 0, tokens: 0 })
    expect((await hub.core.sessions.snapshot(ana, root)).session.spawning).toEqual(on.spawning)
    const off = await hub.core.trees.setSpawning(ben, root, { on: false }, hub.key())
    expect(off.spawning).toBeNull()
    expect((await audited()).filter((row) => row.includes('spawning'))).toHaveLength(2)
    await expect(allow(root, vic)).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await person(hub, 'fay', 'operator', [agent.agentId])
    const { actor } = await program(hub, 'fay', 'orchestrator')
    await expect(allow(root, actor)).rejects.toMatchObject({ code: 'FORBIDDEN' })
  })

  it('[TREE-1.1] may be allowed to start others from its beginning', async () => {
    const request = { agentId: agent.agentId, settings, spawning: { budgetTokens: 1_000 } }
    const { sessionId } = await hub.core.sessions.create(ben, request, hub.key())
    expect((await listed(sessionId))?.spawning).toMatchObject({ by: ben.userId, budgetTokens: 1_000 })
  })

  it('[TREE-1.2] names parent and root of each session, and only its root decides', async () => {
    await allow(root)
    const child = await grow(root)
    const grandchild = await grow(child, 2)
    expect(await listed(child)).toMatchObject({ parentId: root, rootId: root })
    expect(await listed(grandchild)).toMatchObject({ parentId: child, rootId: root })
    await expect(allow(child)).rejects.toMatchObject({ code: 'TREE_LIMIT' })
  })

  it('[TREE-5.1] ends as a whole, and starts nothing any more', async () => {
    await allow(root)
    const child = await grow(root)
    const alone = await liveSession(hub, agent)
    const stopped = await hub.core.trees.stop(ben, child, hub.key())
    expect(stopped).toEqual({ rootId: root, sessionIds: expect.arrayContaining([root, child]) })
    await agent.waiter.until(() => stops().length >= 2)
    expect(stops().sort()).toEqual([root, child].sort())
    expect(stops()).not.toContain(alone)
    await expect(allow(root)).rejects.toMatchObject({ code: 'TREE_STOPPED' })
    expect((await listed(root))?.treeStopped).toMatchObject({ why: 'person' })
    expect((await listed(child))?.treeStopped).toMatchObject({ why: 'person' })
    expect(await listed(alone)).not.toHaveProperty('treeStopped')
  })

  it('[TREE-5.2] is looked at until each session has ended, also one that appears later', async () => {
    await allow(root)
    await hub.core.trees.stop(ben, root, hub.key())
    await agent.waiter.until(() => stops().length >= 1)
    await ended(root)
    const late = await grow(root)
    await hub.core.tick()
    await agent.waiter.until(() => stops().includes(late))
  })

  it('[TREE-5.2] asks a machine that refused again, also after the clock of the hub was set back', async () => {
    await hub.stop()
    let [now, elapsed] = [Date.now(), 0]
    hub = await TestHub.start({ now: () => now, elapsed: () => elapsed })
    agent = await hub.connectedAgent()
    root = await liveSession(hub, agent)
    const error = { code: 'SESSION_NOT_FOUND', message: 'Not here yet.', retryable: false }
    agent.answer = () => ({ state: 'refused', error })
    await hub.core.trees.stop(ben, root, hub.key())
    const refused = () => hub.store.prisma.command.count({ where: { kind: 'session.stop', state: 'refused' } })
    await expect.poll(refused).toBe(1)
    await hub.core.tick()
    expect(stops()).toHaveLength(1)
    now -= 3_600_000
    elapsed += 15_000
    await hub.core.tick()
    await expect.poll(() => stops().length).toBe(2)
  })

  it('[TREE-5.2] is not read any more once all its sessions have ended, until it has another one', async () => {
    await allow(root)
    const child = await grow(root)
    const open = async () => (await hub.store.reads.trees.open()).map(({ rootId }) => rootId)
    await ended(root)
    await hub.core.tick()
    expect(await open()).toEqual([root])
    await ended(child)
    await hub.core.tick()
    expect(await open()).toEqual([])
    const late = { sessionId: 'late', parentId: child, rootId: root, depth: 2 }
    await hub.store.transactions.write((tx) => tx.trees.insertNode(late, 1))
    expect(await open()).toEqual([root])
    await hub.store.transactions.write((tx) => tx.trees.close(root, 1))
    expect(await open()).toEqual([root])
  })

  it('[TREE-5.3] is not ended by somebody who may not control its root', async () => {
    const other = await hub.connectedAgent('other')
    await allow(root, ana)
    const away = await liveSession(hub, other)
    const data = { sessionId: away, parentId: root, rootId: root, depth: 1, createdAt: 1n }
    await hub.store.prisma.treeNode.create({ data })
    const onlyOther = { ...ben, agents: new Set([other.agentId]) }
    await expect(hub.core.trees.stop(onlyOther, away, hub.key())).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await expect(hub.core.trees.stop(vic, root, hub.key())).rejects.toMatchObject({ code: 'FORBIDDEN' })
  })

  it('[TREE-4.1] ends when the person behind it loses the right to it', async () => {
    await allow(root)
    const child = await grow(root)
    await hub.core.tick()
    expect(stops()).toEqual([])
    hub.people.set(ben.userId, { ...ben, role: 'approver' })
    await hub.core.tick()
    await agent.waiter.until(() => stops().length >= 2)
    expect(stops().sort()).toEqual([root, child].sort())
    expect((await listed(root))?.treeStopped).toMatchObject({ why: 'rights' })
    expect(await audited()).toContain('hub session.stop_tree')
  })

  it('[TREE-4.2] ends when it has cost its budget', async () => {
    await allow(root, ben, { budgetUsd: 1 })
    await hub.store.prisma.tree.update({ where: { rootId: root }, data: { costUsd: 1 } })
    await hub.core.tick()
    await agent.waiter.until(() => stops().includes(root))
    expect((await listed(root))?.treeStopped).toMatchObject({ why: 'budget' })
  })

  it('[TREE-4.2] ends although another tree before it cannot be judged', async () => {
    for (const rootId of [root, await liveSession(hub, agent)]) await allow(rootId, ben, { budgetUsd: 1 })
    const [first, second] = await hub.store.reads.trees.open()
    const spent = (rootId = '', data = {}) =>
      hub.store.prisma.tree.update({ where: { rootId }, data: { costUsd: 1, ...data } })
    await spent(first?.rootId, { personId: 'broken' })
    await spent(second?.rootId)
    const find = hub.people.get.bind(hub.people)
    hub.people.get = (id) => {
      if (id === 'broken') throw new Error('It cannot be read.')
      return find(id)
    }
    await hub.core.tick()
    expect((await listed(second?.rootId ?? ''))?.treeStopped).toMatchObject({ why: 'budget' })
    expect(hub.warnings).toContainEqual(expect.objectContaining({ what: 'trees of sessions' }))
  })

  it('[TREE-3.4] tells pages at its root what another session of it has cost', async () => {
    await allow(root)
    const child = await grow(root)
    await hub.core.tick()
    const rung: string[] = []
    hub.core.doorbells.on('session', ({ sessionId }) => rung.push(sessionId))
    const turn = { turnId: 't_1' }
    const ends = { kind: 'turn_completed', ...turn, reason: 'completed', cost: 0.4 } as const
    await agent.emit(child, { kind: 'turn_started', ...turn, trigger: 'prompt' }, ends)
    await expect.poll(async () => (await listed(root))?.spawning).toMatchObject({ costUsd: 0.4 })
    await hub.core.tick()
    expect(rung).toContain(root)
  })

  it('[TREE-4.3] ends when its root is deleted, and not when a child is', async () => {
    await allow(root)
    const [child, other] = [await grow(root), await grow(root)]
    await hub.core.sessions.remove(ben, other, hub.key())
    await hub.core.tick()
    expect(stops()).toEqual([])
    await hub.core.sessions.remove(ben, root, hub.key())
    await hub.core.tick()
    await agent.waiter.until(() => stops().includes(child))
  })
})
