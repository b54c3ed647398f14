import { afterEach, describe, expect, it } from 'vitest'
import { completes, RunScene, says } from '../../testing/runs/run-scene'
import { ask, hostState, requested, resolved } from '../../testing/scenario'
import { ana } from '../../testing/test-hub'

let scene: RunScene
afterEach(() => scene.stop())

const decisions = (runId: string) => scene.commandsOf(runId, 'permission.decide')

describe('the permission requests of a run', () => {
  it('[RUN-5.2] are denied by the hub where nobody is asked, each once, and are in the result', async () => {
    scene = await RunScene.start()
    const runId = await scene.running({ onPermission: 'deny' })
    await scene.hub.core.tick()
    await scene.agent.emit(runId, requested('r1', { toolName: 'AskUserQuestion' }))
    await scene.agent.waiter.until(() => decisions(runId).length > 0)
    const [decision] = decisions(runId)
    expect(decision).toMatchObject({
      author: { name: 'Roundhouse' },
      body: {
        requestId: 'r1',
        decision: 'deny',
        digest: 'digest-r1',
        reason: expect.stringContaining('Nobody is asked'),
      },
    })
    await scene.hub.core.tick()
    const by = { userId: 'hub', name: 'Roundhouse' }
    const outcome = resolved('r1', 'applied', { decision: 'deny', by, reason: 'No.', commandId: decision?.commandId })
    await scene.agent.emit(runId, outcome, completes)
    expect(decisions(runId)).toHaveLength(1)
    const { result } = await scene.runs.get(ana, runId)
    expect(result?.run.permissionDenials).toEqual([{ tool: 'AskUserQuestion', reason: 'No.' }])
  })

  it('[RUN-5.2] are denied again after a pause where the machine had no room for the denial', async () => {
    let skipped = 0
    scene = await RunScene.start({ elapsed: () => performance.now() + skipped })
    const { hub, agent } = scene
    const error = { code: 'DISK_FULL', message: 'The disk is full.', retryable: true }
    agent.answer = (command) =>
      command.body.kind === 'permission.decide' ? { state: 'refused', error } : { state: 'accepted' }
    const isLost = async (times: number) => {
      const where = { action: 'permission.decision_lost' }
      while ((await hub.store.prisma.audit.count({ where })) < times) await new Promise((turn) => setImmediate(turn))
    }
    const runId = await scene.running({ onPermission: 'deny' })
    await hub.core.tick()
    await agent.emit(runId, requested('r1'))
    await isLost(1)
    for (const text of ['a', 'b', 'c']) {
      await agent.emit(runId, says(text))
      await hub.core.tick()
    }
    expect(decisions(runId)).toHaveLength(1)
    skipped += 20_000
    await hub.core.tick()
    await isLost(2)
    expect(decisions(runId)).toHaveLength(2)
  })

  it('[RUN-5.2] are denied also where the hub was away when they came', async () => {
    scene = await RunScene.start()
    const runId = await scene.running({ onPermission: 'deny' })
    await scene.agent.emit(runId, requested('r1'))
    await scene.hub.core.tick()
    await scene.agent.waiter.until(() => decisions(runId).length > 0)
  })

  it('[RUN-5.3] wait for a person otherwise, and stand in the inbox', async () => {
    scene = await RunScene.start()
    const runId = await scene.running({ onPermission: 'wait' })
    await scene.agent.emit(runId, requested('r1'))
    await scene.hub.core.tick()
    expect(decisions(runId)).toEqual([])
    expect((await scene.hub.core.inbox.get(ana)).requests).toMatchObject([
      { sessionId: runId, ask: { requestId: 'r1' } },
    ])
    expect((await scene.runs.get(ana, runId)).pendingRequests).toBe(1)
  })

  const rules = { disallowPatterns: ['Bash(rm:*)'] }
  it.each([
    ['what a person would be asked about', undefined, { defaultDecision: 'deny' }],
    ['beside the rules of the caller', rules, { ...rules, defaultDecision: 'deny' }],
    ['but not what the caller allows', { defaultDecision: 'allow' as const }, { defaultDecision: 'allow' }],
  ])('[RUN-5.1] are denied by the host %s, where the program takes rules', async (_what, given, expected) => {
    scene = await RunScene.start()
    const { agentId } = scene.agent
    const capabilities = { needsPermissionConfig: true }
    const manifest = JSON.stringify({ backends: [{ kind: 'scripted', installed: true, capabilities }] })
    await scene.hub.store.prisma.agent.update({ where: { agentId }, data: { manifest } })
    const settings = given ? { permissionConfig: given } : {}
    const runId = await scene.running({ onPermission: 'deny', settings })
    const [create] = scene.commandsOf(runId, 'session.create')
    expect(create?.body).toMatchObject({ settings: { permissionConfig: expected } })
  })
})

describe('a run that comes to nothing', () => {
  it('[RUN-6.3] is ended once nothing has been left to do for a while: no turn, and no prompt that waits for one', async () => {
    let now = 0
    scene = await RunScene.start({ elapsed: () => now })
    const runId = await scene.runs.create(ana, scene.request(), scene.hub.key())
    await scene.agent.waiter.until(() => scene.commandsOf(runId, 'session.create').length > 0)
    const commandId = scene.commandsOf(runId, 'session.create')[0]?.commandId ?? ''
    const { logId } = scene.agent.log(runId)
    const created = { kind: 'session_created', logId, settings: scene.settings, realWorkDir: '/code/demo' } as const
    const exit = { procId: 'p1', code: null, signal: 'SIGKILL', stderrTail: '', cause: 'host_died' } as const
    await scene.agent.emit(runId, { ...created, commandId }, { kind: 'process_exited', ...exit })
    await scene.agent.state(
      hostState(runId, { atSeq: 2, queueHeld: true, status: { status: 'resumable', why: 'host_died' } }),
    )
    await scene.hub.core.tick()
    now += 9_000
    await scene.hub.core.tick()
    expect(scene.commandsOf(runId, 'session.stop')).toEqual([])
    now += 2_000
    await scene.hub.core.tick()
    await scene.agent.waiter.until(() => scene.commandsOf(runId, 'session.stop').length > 0)
    await scene.agent.emit(runId, { kind: 'session_ended', why: 'stopped' })
    expect((await scene.runs.get(ana, runId)).result).toMatchObject({
      run: { errorSubtype: 'HOST_DIED', aborted: false },
    })
  })

  it('[RUN-6.3] is not ended while it waits for its machine, for a person, or for a place', async () => {
    let now = 0
    scene = await RunScene.start({ elapsed: () => now })
    const runId = await scene.running()
    await scene.agent.emit(runId, says('a'), requested('r1'))
    const state = { atSeq: 4, status: { status: 'needs_you' }, turnId: 't1', requests: [ask('r1')] } as const
    await scene.agent.state(hostState(runId, { ...state, requests: [...state.requests] }))
    const offline = await scene.runs.create(
      ana,
      scene.request({ agentId: (await scene.hub.enrol('away')).agentId }),
      'away-key',
    )
    for (let i = 0; i < 3; i++) {
      now += 20_000
      await scene.hub.core.tick()
    }
    const commands = await scene.hub.store.prisma.command.findMany({ where: { kind: 'session.stop' } })
    expect([commands, offline]).toEqual([[], expect.any(String)])
  })
})
