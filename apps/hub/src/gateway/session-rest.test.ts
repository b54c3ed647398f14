import {
  BY_ITSELF,
  type HostState,
  type LiveFrame,
  type RunningTask,
  type SessionsQuery,
} from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { FakeAgent } from '../testing/fake-agent'
import { hostState, liveHub, text } from '../testing/scenario'
import { ana, type TestHub } from '../testing/test-hub'

const asleep = { status: 'resumable', why: 'idle' } as const

describe('a session that comes to rest', () => {
  let hub: TestHub
  let agent: FakeAgent
  let sessionId: string
  beforeEach(async () => {
    ;({ hub, agent, sessionId } = await liveHub())
    await agent.emit(
      sessionId,
      { kind: 'session_started', procId: 'p', backendSessionId: 'b', resumed: false },
      { kind: 'turn_started', turnId: 't', procId: 'p', trigger: 'prompt' },
    )
  })
  afterEach(() => hub.stop())

  const snapshot = () => hub.core.sessions.snapshot(ana, sessionId)
  const view = async () => (await snapshot()).session
  const endTurn = () =>
    agent.emit(sessionId, text('Done.'), { kind: 'turn_completed', turnId: 't', procId: 'p', reason: 'completed' })
  const says = (rev: number, change: Partial<HostState>) =>
    agent.state(hostState(sessionId, { rev, atSeq: 5, ...change }))
  const asleepInList = async () =>
    (await hub.core.sessions.list(ana, { limit: 5, status: 'resumable' })).items.map((one) => one.sessionId)

  it('[LINK-5.4] has in its row why no program runs, whether its account comes before its last events or behind them', async () => {
    await says(2, { status: asleep })
    expect((await view()).turnId).toBeUndefined()
    await endTurn()
    await expect.poll(asleepInList).toEqual([sessionId])
    expect((await view()).status).toEqual(asleep)
    await agent.emit(sessionId, { kind: 'session_started', procId: 'q', backendSessionId: 'b', resumed: true })
    expect((await view()).status).toEqual({ status: 'idle' })
    await agent.state(hostState(sessionId, { rev: 3, atSeq: 6, status: asleep }))
    await expect.poll(asleepInList).toEqual([sessionId])
  })

  it('[LINK-5.2] keeps what its host said as long as prompts wait there, or the machine has stopped it', async () => {
    await endTurn()
    const queue = [{ promptId: 'q1', rev: 1, text: 'Later.', commandId: 'cmd_none' }]
    await says(2, { status: asleep, queue, queueHeld: true })
    expect((await view()).queueHeld).toBe(true)
    expect((await view()).queue).toMatchObject([{ promptId: 'q1' }])
    await says(3, { status: { status: 'paused', why: 'policy' } })
    expect((await view()).status).toEqual({ status: 'paused', why: 'policy' })
    expect(await asleepInList()).toEqual([])
  })

  it('[SES-6.5] works, and is not idle, in its view, its lists and their filters, while a task runs beside its turns', async () => {
    const listed = async (status: SessionsQuery['status']) =>
      (await hub.core.sessions.list(ana, { limit: 5, status })).items.map((one) => one.status)
    const task: RunningTask = { taskId: 'k', kind: 'command', label: 'npm run dev', canStop: true, startedAt: 1_000 }
    await endTurn()
    await says(2, { status: { status: 'idle' }, background: [task] })
    expect((await view()).status).toEqual({ status: 'running' })
    expect(await listed('idle')).toEqual([])
    expect(await listed('running')).toEqual([{ status: 'running' }])
    expect((await hub.core.inbox.get(ana)).running).toMatchObject([{ sessionId, backgroundTasks: 1 }])
    await says(3, { status: { status: 'idle' }, background: [] })
    expect((await view()).status).toEqual({ status: 'idle' })
    expect(await listed('running')).toEqual([])
    expect(await listed('idle')).toEqual([{ status: 'idle' }])
  })

  it('[RES-3.10] says that it goes on by itself, and what it waits for, for as long as it does', async () => {
    await endTurn()
    await agent.emit(sessionId, {
      kind: 'process_exited',
      procId: 'p',
      code: null,
      signal: null,
      stderrTail: '',
      cause: 'host_died',
    })
    const resumes = { attempt: 1, at: 1_000 }
    await says(2, { atSeq: 6, status: { status: 'resumable', why: 'host_died', resumes } })
    expect(await view()).toMatchObject({ status: { why: 'host_died', resumes } })
    expect(await view()).not.toHaveProperty('resumeWaits')
    await agent.ask('waits', { running: 4, limit: 4, commands: [{ commandId: BY_ITSELF, sessionId }] })
    expect(await view()).toMatchObject({ resumeWaits: { running: 4, limit: 4 } })
    await says(3, { atSeq: 6, status: { status: 'resumable', why: 'host_died' } })
    expect((await view()).status).toEqual({ status: 'resumable', why: 'host_died' })
    expect(await view()).not.toHaveProperty('resumeWaits')
  })

  it('[LOG-5.11] opens no block for a frame that comes late, and one for what is new', async () => {
    const frame = (blockId: string, afterSeq: number): LiveFrame => ({
      sessionId,
      procId: 'p',
      blockId,
      kind: 'assistant_text',
      afterSeq,
      offset: 0,
      text: 'Done.',
    })
    await agent.live([frame('b1', 3)])
    await endTurn()
    await says(2, { status: { status: 'idle' } })
    await agent.live([frame('b1', 3), frame('b2', 5)])
    expect((await snapshot()).openBlocks.map(({ blockId }) => blockId)).toEqual(['b2'])
  })
})
