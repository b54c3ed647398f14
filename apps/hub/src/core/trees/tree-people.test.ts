import type { TreeAnswer } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { message, person, program } from '../../testing/bus-program'
import type { FakeAgent } from '../../testing/fake-agent'
import { created, liveSession, requested, settings } from '../../testing/scenario'
import { ana, TestHub } from '../../testing/test-hub'
import type { Actor } from '../access/access'

/** Ana has both machines. Dora has the machine of the root; the tree of the root has a child on the other one. */
describe('[TREE-2.9] a program of a tree', () => {
  let hub: TestHub
  let shared: FakeAgent
  let other: FakeAgent
  let root: string
  let child: string
  let dora: Actor
  let asked = 0
  beforeEach(async () => {
    hub = await TestHub.start()
    shared = await hub.connectedAgent('shared')
    other = await hub.connectedAgent('other')
    root = await liveSession(hub, shared)
    await hub.core.trees.setSpawning(ana, root, { on: true, budgetUsd: 5 }, hub.key())
    child = await spawned(root, other, elsewhere())
    await person(hub, 'dora', 'operator', [shared.agentId])
    dora = (await program(hub, 'dora', 'operate', 'read', 'decide', 'orchestrator')).actor
  })
  afterEach(() => hub.stop())

  const elsewhere = () => ({ prompt: 'Run.', machine: other.agentId, workDir: '/code/demo' })
  const asks = async (sessionId: string, verb: string, input: object): Promise<TreeAnswer> => {
    const requestId = `q${++asked}`
    const of = [shared, other].find((agent) => agent.log(sessionId).events.length > 0) ?? shared
    await of.emit(sessionId, { kind: 'session_request', requestId, verb, input: { ...input } })
    const answer = () =>
      of.commands.flatMap(({ body }) =>
        body.kind === 'tool.answer' && body.requestId === requestId ? [body.answer] : [],
      )[0]
    await expect.poll(() => hub.core.tick().then(answer), { timeout: 10_000 }).toBeDefined()
    return answer() as TreeAnswer
  }
  /** Its machine has taken it. */
  const begun = async (sessionId: string, on: FakeAgent) => {
    const command = () => on.commands.find((one) => one.sessionId === sessionId && one.body.kind === 'session.create')
    await on.waiter.until(() => command() !== undefined)
    const commandId = command()?.commandId ?? ''
    await on.emit(sessionId, { ...created(on.log(sessionId).logId), settings, commandId })
    return sessionId
  }
  const spawned = async (parent: string, on: FakeAgent, input: object) => {
    const answer = await asks(parent, 'spawn', input)
    if (!answer.ok) throw new Error(answer.error.code)
    return begun(String(answer.result.sessionId), on)
  }
  /** What a session gets that asks for things on the machine where Dora has no rights. */
  const codes = async (from = root) => {
    const said: string[] = []
    for (const [verb, input] of [
      ['read', { sessionId: child }],
      ['send', { sessionId: child, text: 'Do it.' }],
      ['spawn', elsewhere()],
      ['wait', { sessionIds: [child], timeoutSeconds: 0.001 }],
    ] as const) {
      const answer = await asks(from, verb, input)
      said.push(answer.ok ? 'ok' : answer.error.code)
    }
    return said
  }
  const all = (code: string) => [code, code, code, code]
  const prompt = (actor: Actor, sessionId: string) =>
    hub.core.sessions.prompt(actor, sessionId, { promptId: hub.key(), text: 'Look at the other machine.' }, hub.key())

  it('does what the person who allowed it may, while nobody else said anything to its tree', async () => {
    expect(await codes()).toEqual(all('ok'))
  })

  it('gets nothing from a machine that somebody who prompted its session does not have, and is told why', async () => {
    await prompt(dora, root)
    expect(await codes()).toEqual(all('FORBIDDEN'))
    const answer = await asks(root, 'send', { sessionId: child, text: 'x' })
    expect(answer).toMatchObject({ ok: false, error: { message: expect.stringContaining('Somebody who gave text') } })
    expect(await asks(root, 'read', {})).toMatchObject({ ok: true, result: { children: [] } })
    expect(await asks(root, 'spawn', { prompt: 'Here.' })).toMatchObject({ ok: true })
  })

  it('is judged by everybody who gave text to any session of the tree, also to one that an orchestrator started or that is deleted', async () => {
    const publish = (...messages: object[]) => hub.core.bus.publish(dora, messages)
    const data = { name: 'Mine', mission: 'Look at the other machine.' }
    expect(await publish(message(`cmd.${root}.spawn`, 'cmd-spawn-v1', data))).toMatchObject({ results: [{ ok: true }] })
    const { items } = await hub.core.sessions.list(ana, { limit: 10 })
    const mine = await begun(items.find(({ title }) => title === 'Mine')?.sessionId ?? '', shared)
    expect(await codes(mine)).toEqual(all('FORBIDDEN'))
    await hub.core.sessions.remove(ana, mine, hub.key())
    expect(await codes()).toEqual(all('FORBIDDEN'))
  })

  it('is judged by who answered a request with text, also after its session was deleted, and not by who only allowed it', async () => {
    const kin = await spawned(root, shared, { prompt: 'Run.' })
    const decide = (requestId: string, more: object) => {
      const request = { procId: 'p1', decision: 'deny', digest: `digest-${requestId}`, ...more } as const
      return hub.core.permissions.decide(dora, requestId, request, hub.key())
    }
    await shared.emit(kin, requested('r1'), requested('r2'))
    await decide('r1', {})
    expect(await codes()).toEqual(all('ok'))
    await decide('r2', { reason: 'Use the other machine.' })
    expect(await codes()).toEqual(all('FORBIDDEN'))
    await hub.core.sessions.remove(ana, kin, hub.key())
    expect(await codes()).toEqual(all('FORBIDDEN'))
  })

  it('is judged by who named a session of it, whose name its programs read, and not by who only put one away', async () => {
    const kin = await spawned(root, shared, { prompt: 'Run.' })
    await hub.core.sessions.rename(dora, kin, { archived: true })
    expect(await codes()).toEqual(all('ok'))
    await hub.core.sessions.rename(dora, kin, { title: 'Look at the other machine' })
    expect(await codes()).toEqual(all('FORBIDDEN'))
  })

  it('gets nothing once such a person is disabled; people see its tree by their own rights alone', async () => {
    await hub.store.prisma.machineShare.create({
      data: { userId: 'dora', agentId: other.agentId, createdAt: new Date(), createdBy: 'x' },
    })
    await prompt(dora, root)
    await hub.store.prisma.user.update({ where: { id: 'dora' }, data: { banned: true } })
    expect(await codes()).toEqual(all('FORBIDDEN'))
    for (const sessionId of [root, child])
      expect((await hub.core.sessions.snapshot(ana, sessionId)).session.sessionId).toBe(sessionId)
    const { items } = await hub.core.sessions.list(ana, { limit: 10 })
    expect(items.map(({ sessionId }) => sessionId).sort()).toEqual([root, child].sort())
  })

  it('may again what it may not, once those people have the machine', async () => {
    await prompt(dora, root)
    expect(await codes()).toEqual(all('FORBIDDEN'))
    const share = { userId: 'dora', agentId: other.agentId, createdAt: new Date(), createdBy: 'x' }
    await hub.store.prisma.machineShare.create({ data: share })
    expect(await codes()).toEqual(all('ok'))
  })

  it('waits for no session that the person who allowed it may not read any more', async () => {
    hub.people.set(ana.userId, { ...ana, role: 'operator', agents: new Set([shared.agentId]) })
    const answer = await asks(root, 'wait', { sessionIds: [child], timeoutSeconds: 0.001 })
    expect(answer).toMatchObject({ ok: false, error: { code: 'FORBIDDEN' } })
  })
})
