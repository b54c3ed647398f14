import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { completes, RunScene, says, turn } from '../../testing/runs/run-scene'
import { hostState, liveSession } from '../../testing/scenario'
import { ana, ben, vic } from '../../testing/test-hub'

let scene: RunScene
beforeEach(async () => {
  scene = await RunScene.start()
})
afterEach(() => scene.stop())

describe('a run', () => {
  it('[RUN-1.2] is a session with one prompt, under one id, and marked as a run wherever sessions are shown', async () => {
    const runId = await scene.running({ onPermission: 'deny', title: 'Nightly' })
    const { session } = await scene.hub.core.sessions.snapshot(ana, runId)
    expect(session).toMatchObject({ title: 'Nightly', run: { onPermission: 'deny' } })
    const { items } = await scene.hub.core.sessions.list(ana, { limit: 10 })
    expect(items).toMatchObject([{ sessionId: runId, run: { onPermission: 'deny' } }])
    expect(await scene.runs.get(ana, runId)).toMatchObject({ runId, title: 'Nightly', onPermission: 'deny' })
    expect(scene.commandsOf(runId, 'session.create')[0]?.body).toMatchObject({ prompt: { text: 'Say hello.' } })
  })

  it('[RUN-2.1] tells its events as they are stored, whoever follows it and however often', async () => {
    const runId = await scene.running()
    const lots = await scene.runs.follow(ana, runId)
    const first = lots.next()
    await scene.agent.emit(runId, says('Hello.'))
    expect((await first).value).toEqual([{ cursor: '3', type: 'text', text: 'Hello.' }])
    await scene.agent.emit(runId, completes)
    const done = { cursor: '4', type: 'done', result: expect.objectContaining({ text: 'Hello.', aborted: false }) }
    expect((await lots.next()).value).toEqual([done])
    expect((await lots.next()).done).toBe(true)
    expect(await scene.followed(runId)).toEqual([{ cursor: '3', type: 'text', text: 'Hello.' }, done])
  })

  it('[RUN-2.2] tells whoever comes back the rest, and nothing twice', async () => {
    const runId = await scene.running()
    await scene.agent.emit(runId, says('a'), says('b'), says('c'), completes)
    const all = await scene.followed(runId)
    for (const [index, { cursor }] of all.entries())
      expect(await scene.followed(runId, cursor)).toEqual(all.slice(index + 1))
    await expect(scene.runs.follow(ana, runId, 'x')).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  })

  it('[RUN-2.1] [LINK-5.27] is over when its log is stored to the end, however early its machine says that it has ended', async () => {
    const runId = await scene.running()
    const lots = await scene.runs.follow(ana, runId)
    const first = lots.next()
    await scene.agent.emit(runId, says('Half.'))
    expect((await first).value).toEqual([{ cursor: '3', type: 'text', text: 'Half.' }])
    const next = lots.next()
    await scene.agent.state(hostState(runId, { atSeq: 5, status: { status: 'ended', why: 'stopped' } }))
    expect((await scene.runs.get(ana, runId)).result).toBeUndefined()
    await scene.agent.emit(runId, says('The rest.'))
    expect((await next).value).toEqual([{ cursor: '4', type: 'text', text: 'The rest.' }])
    await scene.agent.emit(runId, { kind: 'session_ended', why: 'stopped' })
    expect((await lots.next()).value).toMatchObject([{ cursor: '5', type: 'done', result: { aborted: true } }])
  })

  it('[RUN-4.4] has a result once it is over, and not before', async () => {
    const runId = await scene.running()
    await scene.agent.emit(runId, says('Hello.'))
    expect((await scene.runs.get(ana, runId)).result).toBeUndefined()
    await scene.agent.emit(runId, completes)
    expect((await scene.runs.get(ana, runId)).result).toMatchObject({
      payloads: [{ text: 'Hello.' }],
      run: { text: 'Hello.', totalCostUsd: 0.25, aborted: false },
      mcp: { sentTexts: [], sentTargets: [], cronAdds: 0 },
    })
  })

  it('[RUN-1.3] that failed says why in the status of its ended session, and one that did not says nothing', async () => {
    const stopped = { kind: 'session_ended', why: 'stopped' } as const
    const exits = { kind: 'process_exited', procId: 'p', code: null, signal: null, stderrTail: '' } as const
    const dead = await scene.running()
    const ends = { kind: 'turn_completed', ...turn, reason: 'process_exited' } as const
    await scene.agent.emit(dead, says('Half.'), { ...exits, cause: 'host_died' }, ends, stopped)
    const good = await scene.running()
    await scene.agent.emit(good, completes, { ...exits, cause: 'crashed' }, stopped)
    const torn = await scene.running()
    const gap = { kind: 'gap', from: 3, to: 3, reason: 'rebase' } as const
    await scene.agent.emit(torn, gap, says('Done.'), completes, stopped)
    const error = { code: 'HOST_DIED', message: expect.stringContaining('died') }
    const lost = { code: 'EVENTS_LOST', message: 'Part of what the program said is lost.' }
    const over = { status: 'ended', why: 'stopped' }
    const expected = { [dead]: { ...over, error }, [good]: over, [torn]: { ...over, error: lost } }
    const { items } = await scene.runs.list(ana, { limit: 10 })
    expect(Object.fromEntries(items.map(({ runId, status }) => [runId, status]))).toEqual(expected)
    expect((await scene.hub.core.sessions.snapshot(ana, dead)).session.status).toEqual(expected[dead])
    expect((await scene.runs.get(ana, torn)).result).toMatchObject({
      error: lost.message,
      run: { errorSubtype: 'EVENTS_LOST', text: 'Done.', aborted: false },
    })
  })

  it('[RUN-4.2] counts what its program asked the hub to send, and not what the hub refused', async () => {
    const runId = await scene.running()
    const input = { prompt: 'Run the tests.' }
    const topic = `worker.${runId}.event`
    const data = { kind: 'LOG', severity: 'info', message: 'Half of it.' }
    await scene.agent.emit(
      runId,
      { kind: 'published', id: 'm1', topic, schema: 'worker-event-v1', data },
      { kind: 'session_request', ...turn, requestId: 'q1', verb: 'spawn', input },
    )
    await scene.agent.waiter.until(() => scene.commandsOf(runId, 'tool.answer').length > 0)
    await scene.agent.emit(runId, completes)
    expect((await scene.runs.get(ana, runId)).result?.mcp).toMatchObject({
      sentTexts: ['Half of it.'],
      sentTargets: [{ tool: 'publish_event', provider: 'roundhouse', to: topic }],
    })
  })

  it('[RUN-1.3] is ended with its session once its turn is over, also by a hub that was away at that moment', async () => {
    const runId = await scene.running()
    await scene.hub.core.tick()
    await scene.agent.emit(runId, completes)
    await scene.agent.waiter.until(() => scene.commandsOf(runId, 'session.stop').length > 0)
    expect(scene.commandsOf(runId, 'session.stop')).toMatchObject([{ author: { name: 'Roundhouse' } }])

    const other = await scene.running()
    await scene.agent.emit(other, completes)
    await scene.hub.core.tick()
    await scene.agent.waiter.until(() => scene.commandsOf(other, 'session.stop').length > 0)
  })

  it('[RUN-1.3] is not ended while its turn goes on', async () => {
    const runId = await scene.running()
    await scene.agent.emit(runId, { kind: 'turn_started', turnId: 't0', trigger: 'backend' })
    await scene.agent.emit(runId, { kind: 'turn_completed', turnId: 't0', reason: 'completed' })
    await scene.hub.core.tick()
    expect(scene.commandsOf(runId, 'session.stop')).toEqual([])
  })

  it('[RUN-1.4] is stopped by whoever may control it, once, and then says that it was', async () => {
    const runId = await scene.running()
    const key = scene.hub.key()
    const made = await scene.runs.stop(ben, runId, key)
    expect(await scene.runs.stop(ben, runId, key)).toEqual(made)
    const ends = { kind: 'session_ended', why: 'stopped', commandId: made.commandId } as const
    await scene.agent.emit(runId, says('Half of i'), ends)
    const { result } = await scene.runs.get(ana, runId)
    expect(result).toMatchObject({
      run: { aborted: true, errorSubtype: 'stopped', text: 'Half of i' },
      error: 'The run was stopped.',
    })
    await expect(scene.runs.stop(ben, runId, scene.hub.key())).rejects.toMatchObject({ code: 'SESSION_ENDED' })
  })

  it('[RUN-3.6] that its machine refuses says so by the code of the refusal', async () => {
    const error = { code: 'PATH_NOT_ALLOWED', message: 'Outside.', retryable: false }
    scene.agent.answer = () => ({ state: 'refused', error })
    const runId = await scene.runs.create(ana, scene.request({ workDir: '/etc' }), scene.hub.key())
    const events = await scene.followed(runId)
    expect(events).toMatchObject([
      { type: 'error', code: 'PATH_NOT_ALLOWED', message: 'Outside.' },
      { type: 'done', result: { text: '', errorSubtype: 'PATH_NOT_ALLOWED', aborted: false } },
    ])
    expect(await scene.followed(runId, events[0]?.cursor)).toEqual(events.slice(1))
    expect((await scene.runs.get(ana, runId)).result).toMatchObject({ error: 'Outside.' })
  })

  it('[RUN-3.6] on a machine that is revoked ends with what it had said', async () => {
    const runId = await scene.running()
    await scene.agent.emit(runId, says('Half of i'))
    await scene.hub.core.agents.revoke(ana, scene.agent.agentId, scene.hub.key())
    expect((await scene.followed(runId)).at(-1)).toMatchObject({
      type: 'done',
      result: { text: 'Half of i', errorSubtype: 'AGENT_REVOKED' },
    })
  })
})

describe('who may do what with a run', () => {
  it('[RUN-7.1] is decided as for its session', async () => {
    const runId = await scene.running()
    await expect(scene.runs.create(vic, scene.request(), scene.hub.key())).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await expect(scene.runs.stop(vic, runId, scene.hub.key())).rejects.toMatchObject({ code: 'FORBIDDEN' })
    expect(await scene.runs.get(vic, runId)).toMatchObject({ runId })
    const elsewhere = { ...ben, agents: new Set(['another']) }
    const told = async (read: Promise<unknown>) => read.then(() => 'ok').catch(({ code }) => code)
    expect(await told(scene.runs.get(elsewhere, runId))).toBe(
      await told(scene.hub.core.sessions.snapshot(elsewhere, runId)),
    )
    expect((await scene.runs.list(elsewhere, { limit: 10 })).items).toEqual([])
  })

  it('[RUN-7.2] needs the right to read, since its caller is told what came of it', async () => {
    const blind = { ...ben, only: new Set(['session.create'] as const) }
    await expect(scene.runs.create(blind, scene.request(), scene.hub.key())).rejects.toMatchObject({
      code: 'FORBIDDEN',
    })
    expect(await scene.runs.list(ana, { limit: 10 })).toEqual({ items: [], next: null })
  })

  it('[RUN-7.3] ends with the rights of whoever follows it', async () => {
    const runId = await scene.running()
    const lots = await scene.runs.follow(ben, runId)
    const next = lots.next()
    scene.hub.people.delete(ben.userId)
    scene.hub.core.doorbells.ring('person', { userId: ben.userId })
    await expect(next).rejects.toMatchObject({ code: 'AUTH_REQUIRED' })
  })

  it('[RUN-7.4] a session that is no run is none, and a deleted one is gone', async () => {
    const session = await liveSession(scene.hub, scene.agent)
    const reads = [scene.runs.get(ana, session), scene.runs.follow(ana, session), scene.runs.get(ana, 'ses_none')]
    for (const read of reads) await expect(read).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
    const runId = await scene.running()
    const followed = scene.followed(runId)
    followed.catch(() => {})
    await scene.hub.core.sessions.remove(ana, runId, scene.hub.key())
    await expect(followed).rejects.toMatchObject({ code: 'SESSION_DELETED' })
    await expect(scene.runs.get(ana, runId)).rejects.toMatchObject({ code: 'SESSION_DELETED' })
  })

  it('[RUN-1.5] a repeat under the same key is the same run; another body is refused', async () => {
    const key = scene.hub.key()
    const runId = await scene.runs.create(ana, scene.request(), key)
    expect(await scene.runs.create(ana, scene.request(), key)).toBe(runId)
    const other = scene.runs.create(ana, scene.request({ onPermission: 'deny' }), key)
    await expect(other).rejects.toMatchObject({ code: 'IDEMPOTENCY_MISMATCH' })
  })

  it('[RUN-1.5] [CMD-1.3] a repeat is the same run after its machine was revoked; a new one is not made there', async () => {
    const key = scene.hub.key()
    const runId = await scene.runs.create(ana, scene.request(), key)
    await scene.hub.core.agents.revoke(ana, scene.agent.agentId, scene.hub.key())
    expect(await scene.runs.create(ana, scene.request(), key)).toBe(runId)
    await expect(scene.runs.create(ana, scene.request(), scene.hub.key())).rejects.toThrow('Machine not found')
  })

  it('[RUN-7.5] lists runs alone, newest first, a page at a time', async () => {
    await liveSession(scene.hub, scene.agent)
    const ids: string[] = []
    for (let i = 0; i < 3; i++) ids.unshift(await scene.running())
    const first = await scene.runs.list(ana, { limit: 2 })
    const second = await scene.runs.list(ana, { limit: 2, cursor: first.next ?? '' })
    expect([...first.items, ...second.items].map(({ runId }) => runId)).toEqual(ids)
    expect(second.next).toBeNull()
  })

  it('[RUN-7.6] refuses a program that its machine does not have', async () => {
    const backends = [{ kind: 'claude', installed: false, unavailableReason: 'It is not installed.', capabilities: {} }]
    const { agentId } = scene.agent
    await scene.hub.store.prisma.agent.update({ where: { agentId }, data: { manifest: JSON.stringify({ backends }) } })
    for (const backend of ['claude', 'nonsense'])
      await expect(scene.runs.create(ana, scene.request({ backend }), scene.hub.key())).rejects.toMatchObject({
        code: 'BACKEND_UNAVAILABLE',
      })
  })
})
