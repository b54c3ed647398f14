import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { message, type Program, person, program } from '../../testing/bus-program'
import type { FakeAgent } from '../../testing/fake-agent'
import { created, hostState, liveSession, requested } from '../../testing/scenario'
import { ana, TestHub } from '../../testing/test-hub'
import type { Actor } from '../access/access'
import { sha256 } from '../common/digests'

describe('[BUS-10] what an orchestrator says to a session', () => {
  let hub: TestHub
  let agent: FakeAgent
  let sessionId: string
  let boss: Program
  beforeEach(async () => {
    hub = await TestHub.start()
    agent = await hub.connectedAgent()
    sessionId = await liveSession(hub, agent)
    await person(hub, 'fay', 'operator', [agent.agentId])
    boss = await program(hub, 'fay', 'orchestrator')
    await expect.poll(async () => (await boss.read('system.peer.joined')).length).toBeGreaterThan(0)
  })
  afterEach(() => hub.stop())

  const say = (name: string, data: object, schema = `cmd-${name.replace('_', '-')}-v1`) =>
    message(`cmd.${sessionId}.${name}`, schema, data)
  const codes = async (answer: ReturnType<Program['publish']>) =>
    (await answer).results.map((result) => (result.ok ? 'ok' : result.error.code))
  /** After the one that created it. */
  const bodies = () => agent.commands.slice(1).map(({ body }) => body)

  it('is a command of the session: native ones are its own, the others are told to its program', async () => {
    await agent.state(hostState(sessionId, { turnId: 't1' }))
    expect(
      await codes(
        boss.publish(
          say('approve', { correlation_id: 'r1', chosen: 'B' }),
          say('unblock', { correlation_id: 'r2', payload: { approved: true } }, 'cmd-approve-v1'),
          say('reject', { correlation_id: 'r3', reason: 'no' }),
          say('set_phase', { phase: 'RECOVER', reason: 'it hangs' }),
          say('inject_text', { text: 'Go on.' }),
          say('pause', {}),
          say('resume', {}),
          say('abort', { reason: 'enough' }),
        ),
      ),
    ).toEqual(Array.from({ length: 8 }, () => 'ok'))
    await agent.waiter.until(() => bodies().length >= 8)
    const byKind = (kind: string) => bodies().filter((body) => body.kind === kind)
    expect(byKind('program.tell')).toEqual([
      { kind: 'program.tell', name: 'approve', correlationId: 'r1', data: { correlation_id: 'r1', chosen: 'B' } },
      {
        kind: 'program.tell',
        name: 'approve',
        correlationId: 'r2',
        data: { correlation_id: 'r2', payload: { approved: true } },
      },
      { kind: 'program.tell', name: 'reject', correlationId: 'r3', data: { correlation_id: 'r3', reason: 'no' } },
      { kind: 'program.tell', name: 'set_phase', data: { phase: 'RECOVER', reason: 'it hangs' } },
    ])
    expect(byKind('prompt.send')).toMatchObject([{ text: 'Go on.' }])
    expect(byKind('turn.interrupt')).toEqual([{ kind: 'turn.interrupt', turnId: 't1' }])
    expect(byKind('queue.release')).toHaveLength(1)
    expect(byKind('session.stop')).toHaveLength(1)
    expect(await boss.read('cmd.**')).toHaveLength(8)
  })

  it('is one command however often it is repeated', async () => {
    const once = say('inject_text', { text: 'Once.' })
    await boss.publish(once)
    await boss.publish(once)
    await agent.waiter.until(() => bodies().length >= 1)
    await hub.core.tick()
    expect(bodies()).toHaveLength(1)
  })

  it('never decides a permission request, by whatever id', async () => {
    await agent.emit(sessionId, requested('r1'))
    await boss.publish(say('approve', { correlation_id: 'r1', decision: 'allow' }))
    await agent.waiter.until(() => bodies().length >= 1)
    expect(bodies().map(({ kind }) => kind)).toEqual(['program.tell'])
    const request = hub.store.now.requests.find('r1')
    expect([request?.decision, request?.outcome]).toEqual([null, 'open'])
  })

  it('[TREE-3.5] starts a session below it as the person of the orchestrator, where a person allowed that, once for each message', async () => {
    const spawn = say('spawn', { name: 'Tests', mission: 'Run the tests.' })
    expect(await codes(boss.publish(spawn))).toEqual(['SPAWNING_OFF'])
    await hub.core.trees.setSpawning(ana, sessionId, { on: true, budgetUsd: 1 }, hub.key())
    const again = say('spawn', { name: 'Tests', mission: 'Run the tests.', model: 'haiku' })
    expect(await codes(boss.publish(again))).toEqual(['ok'])
    expect(await codes(boss.publish(again))).toEqual(['ok'])
    const { items } = await hub.core.sessions.list(ana, { limit: 10 })
    expect(items.filter(({ parentId }) => parentId === sessionId)).toMatchObject([
      { title: 'Tests', rootId: sessionId },
    ])
    await agent.waiter.until(() => bodies().length > 0)
    expect(agent.commands.at(-1)).toMatchObject({
      author: { userId: 'fay' },
      body: { kind: 'session.create', settings: { model: 'haiku' }, prompt: { text: 'Run the tests.' } },
    })
    const childId = agent.commands.at(-1)?.sessionId ?? ''
    await agent.emit(childId, created(agent.log(childId).logId))
    const lineage = async () => (await hub.core.bus.peers(ana)).items.find(({ peerId }) => peerId === childId)?.parentId
    await expect.poll(lineage).toBe(sessionId)
    await agent.emit(childId, { kind: 'session_started', procId: 'p1', backendSessionId: 'b1', resumed: false })
    const boot = async () => (await boss.read(`worker.${childId}.boot`))[0]
    await expect.poll(async () => (await boot())?.parent_id).toBe(sessionId)
    expect((await boot())?.data.parent_peer_id).toBe(sessionId)
  })

  it('[CMD-1.5] is done whatever keys its person used: for a session of their own, and for a prompt', async () => {
    await hub.core.trees.setSpawning(ana, sessionId, { on: true, budgetUsd: 1 }, hub.key())
    const spawn = say('spawn', { name: 'Tests', mission: 'Run the tests.' })
    const prompt = say('inject_text', { text: 'Go on.' })
    const keyOf = ({ id }: { id: string }) => `bus_${sha256([boss.peerId, id].join(' ')).slice(0, 40)}`
    const { agents } = boss.actor
    const fay: Actor = {
      userId: 'fay',
      name: 'fay',
      role: 'operator',
      agents,
      credential: { kind: 'person', id: 'fay' },
    }
    const settings = { backend: 'scripted', workDir: '/code/demo' }
    await hub.core.sessions.create(fay, { agentId: agent.agentId, settings }, keyOf(spawn))
    await hub.core.sessions.prompt(fay, sessionId, { promptId: 'p1', text: 'My own.' }, keyOf(prompt))
    expect(await codes(boss.publish(spawn, prompt))).toEqual(['ok', 'ok'])
    const { items } = await hub.core.sessions.list(ana, { limit: 10 })
    expect(items.filter(({ parentId }) => parentId === sessionId)).toMatchObject([{ title: 'Tests' }])
    const prompts = () => bodies().flatMap((body) => (body.kind === 'prompt.send' ? [body.text] : []))
    await agent.waiter.until(() => prompts().length > 1)
    expect(prompts()).toEqual(['My own.', 'Go on.'])
  })

  it('[AUTH-1.2] is stored only while the token is valid, whichever command it is', async () => {
    await agent.state(hostState(sessionId, { turnId: 't1' }))
    await hub.core.trees.setSpawning(ana, sessionId, { on: true, budgetUsd: 1 }, hub.key())
    await boss.publish(say('approve', { correlation_id: 'r0' }))
    const stored = () => hub.store.prisma.command.count()
    const before = await stored()
    await boss.end()
    const late = [
      say('spawn', { name: 'Late', mission: 'Run.' }),
      say('approve', { correlation_id: 'r1' }),
      say('unblock', { correlation_id: 'r2' }, 'cmd-approve-v1'),
      say('reject', { correlation_id: 'r3', reason: 'no' }),
      say('set_phase', { phase: 'RECOVER', reason: 'x' }),
      say('inject_text', { text: 'x' }),
      say('pause', {}),
      say('resume', {}),
      say('abort', { reason: 'x' }),
    ]
    for (const one of late) expect(await codes(boss.publish(one))).toEqual(['AUTH_REQUIRED'])
    expect(await stored()).toBe(before)
    expect((await hub.core.sessions.list(ana, { limit: 10 })).items).toHaveLength(1)
  })

  it('[CMD-4.5] [TREE-3.5] starts no session once its token is gone, if the machine was away', async () => {
    await hub.core.trees.setSpawning(ana, sessionId, { on: true, budgetUsd: 1 }, hub.key())
    await hub.core.agents.disable(ana, agent.agentId, hub.key())
    expect(await codes(boss.publish(say('spawn', { name: 'Late', mission: 'Run.' })))).toEqual(['ok'])
    await boss.end()
    await hub.core.agents.enable(ana, agent.agentId, hub.key())
    await agent.connect()
    await agent.reports([agent.report(sessionId)])
    const last = () =>
      hub.store.prisma.command.findFirst({ where: { kind: 'session.create' }, orderBy: { createdAt: 'desc' } })
    await expect.poll(async () => (await last())?.state).toBe('expired')
    expect(await last()).toMatchObject({ errorCode: 'FORBIDDEN', tokenId: expect.any(String) })
    expect(bodies().filter(({ kind }) => kind === 'session.create')).toEqual([])
  })

  it('[BUS-10.6] reaches each session of a role, `worker` or the role of its notes, as one command of each, by the rights of the person', async () => {
    const tester = await liveSession(hub, agent, undefined, { roleId: 'tester' })
    const foreign = await hub.connectedAgent()
    const hidden = await liveSession(hub, foreign)
    await expect
      .poll(async () => (await hub.core.bus.peers(ana)).items.filter(({ kind }) => kind === 'session').length)
      .toBe(3)
    const told = (sessionId: string, of = agent) =>
      of.commands
        .filter((one) => one.sessionId === sessionId)
        .flatMap(({ body }) => (body.kind === 'prompt.send' ? [body.text] : []))
    const toRole = (role: string, text: string) => message(`cmd.role.${role}`, 'cmd-inject-text-v1', { text })
    const everybody = toRole('worker', 'To all.')
    const answers = [toRole('tester', 'To testers.'), everybody, everybody, toRole('cook', 'To none.')]
    for (const one of answers) expect(await codes(boss.publish(one))).toEqual(['ok'])
    await agent.waiter.until(() => told(sessionId).length > 0 && told(tester).length > 1)
    await hub.core.tick()
    expect([told(sessionId), told(tester), told(hidden, foreign)]).toEqual([
      ['To all.'],
      ['To testers.', 'To all.'],
      [],
    ])
    await hub.core.trees.setSpawning(ana, sessionId, { on: true, budgetUsd: 1 }, hub.key())
    const spawn = message('cmd.role.worker', 'cmd-spawn-v1', { name: 'n', mission: 'm' })
    expect(await codes(boss.publish(spawn))).toEqual(['ok'])
    expect((await hub.core.sessions.list(ana, { limit: 10 })).items).toHaveLength(3)
    const evening = message('cmd.role.worker', 'cmd-abort-v1', { reason: 'evening' })
    expect(await codes(boss.publish(evening))).toEqual(['ok'])
    const stopped = ({ commands }: FakeAgent) =>
      commands.flatMap(({ body, sessionId: of }) => (body.kind === 'session.stop' ? [of] : [])).sort()
    await agent.waiter.until(() => stopped(agent).length > 1)
    expect([stopped(agent), stopped(foreign)]).toEqual([[sessionId, tester].sort(), []])
  })

  it('[BUS-10.6] one session of the role that cannot take it keeps it from no other', async () => {
    const other = await liveSession(hub, agent)
    await agent.state(hostState(sessionId, { turnId: 't1' }))
    await agent.emit(other, { kind: 'session_ended', why: 'stopped' })
    const abort = message('cmd.role.worker', 'cmd-abort-v1', { reason: 'all' })
    expect(await codes(boss.publish(abort))).toEqual(['ok'])
    await agent.waiter.until(() => agent.commands.some(({ body }) => body.kind === 'session.stop'))
    const stopped = agent.commands.filter(({ body }) => body.kind === 'session.stop').map((one) => one.sessionId)
    expect(stopped).toEqual([sessionId])
    expect(await boss.read('cmd.role.*')).toHaveLength(1)
  })

  it('that cannot be done is refused with its code, and delivered to nobody', async () => {
    await agent.emit(sessionId, { kind: 'session_ended', why: 'stopped' })
    expect(
      await codes(boss.publish(say('abort', { reason: 'x' }), say('spawn', { name: 'b', mission: 'help' }))),
    ).toEqual(['SESSION_ENDED', 'SPAWNING_OFF'])
    expect(await boss.read('cmd.**')).toEqual([])
    expect(bodies()).toEqual([])
  })
})
