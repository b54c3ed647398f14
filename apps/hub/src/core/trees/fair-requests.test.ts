import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { FakeAgent } from '../../testing/fake-agent'
import { hostState, liveSession, settings } from '../../testing/scenario'
import { ana, ben, TestHub } from '../../testing/test-hub'

describe('many requests of one tree', () => {
  let hub: TestHub
  let agent: FakeAgent
  let root: string
  let asked = 0
  beforeEach(async () => {
    hub = await TestHub.start()
    agent = await hub.connectedAgent()
    root = await liveSession(hub, agent)
    await hub.core.trees.setSpawning(ben, root, { on: true, budgetUsd: 5 }, hub.key())
  })
  afterEach(() => hub.stop())

  const answerOf = (requestId: string) =>
    agent.commands.flatMap(({ body }) =>
      body.kind === 'tool.answer' && body.requestId === requestId ? [body.answer] : [],
    )[0]
  const outcome = (requestId: string) => {
    const answer = answerOf(requestId)
    return answer && (answer.ok ? 'ok' : answer.error.code)
  }
  const say = async (sessionId: string, verb: string, input: object, count = 1): Promise<string[]> => {
    const ids = Array.from({ length: count }, () => `q${++asked}`)
    const events = ids.map((requestId) => ({ kind: 'session_request' as const, requestId, verb, input: { ...input } }))
    await agent.emit(sessionId, ...events)
    return ids
  }
  const answered = async (sessionId: string, verb: string, input: object = {}) => {
    const [requestId = ''] = await say(sessionId, verb, input)
    await agent.waiter.until(() => answerOf(requestId) !== undefined)
    return answerOf(requestId)
  }
  /** Its first prompt is never done, so whoever waits for it waits on. */
  const child = async (): Promise<string> => {
    const answer = await answered(root, 'spawn', { prompt: 'Go.' })
    const sessionId = String(answer?.ok && answer.result.sessionId)
    const created = () =>
      agent.commands.find((command) => command.sessionId === sessionId && command.body.kind === 'session.create')
    await agent.waiter.until(() => created() !== undefined)
    const { logId } = agent.log(sessionId)
    const commandId = created()?.commandId ?? ''
    await agent.emit(sessionId, { kind: 'session_created', logId, settings, realWorkDir: '/code/demo', commandId })
    return sessionId
  }
  const children = async (count: number): Promise<string[]> => {
    const ids: string[] = []
    while (ids.length < count) ids.push(await child())
    return ids
  }
  const outcomes = (ids: readonly string[]) => {
    const counts: Record<string, number> = {}
    for (const id of ids) counts[outcome(id) ?? 'open'] = (counts[outcome(id) ?? 'open'] ?? 0) + 1
    return counts
  }

  it('[TREE-2.8] waits that are not due never stand before what others ask', async () => {
    const stranger = await liveSession(hub, agent)
    const kids = await children(8)
    for (const [i, kid] of kids.entries())
      await say(kid, 'wait', { sessionIds: [kids[(i + 1) % kids.length]], timeoutSeconds: 600 }, 32)
    const [read = ''] = await say(stranger, 'read', {})
    await expect.poll(() => outcome(read)).toBe('ok')
  })

  it('[TREE-2.8] a session and a tree each have so many requests open, and the first of each session come first', async () => {
    const kids = await children(6)
    const [first = '', second = ''] = kids
    const many = await say(first, 'wait', { sessionIds: [second] }, 40)
    await expect.poll(() => outcomes(many)).toEqual({ open: 32, RATE_LIMITED: 8 })
    const others: string[] = []
    for (const kid of kids.slice(1, 5)) others.push(...(await say(kid, 'wait', { sessionIds: [first] }, 32)))
    await expect.poll(() => outcomes([...many, ...others])).toEqual({ open: 128, RATE_LIMITED: 40 })
    expect(await answered(kids[5] ?? '', 'read')).toMatchObject({ ok: true })
    expect(outcome(many[0] ?? '')).toBeUndefined()
  })

  it('[TREE-3.4] what a turn says that it cost keeps the sum a number', async () => {
    const turn = { kind: 'turn_completed', turnId: 't', reason: 'completed', cost: 1e308 } as const
    await agent.emit(root, turn, { ...turn, turnId: 't2' }, { ...turn, turnId: 't3' })
    const items = async () => (await hub.core.sessions.list(ana, { limit: 9 })).items
    await expect.poll(async () => (await items())[0]?.spawning?.costUsd).toBe(3_000_000)
    const peers = (await hub.core.bus.peers(ana)).items
    expect(peers.find(({ peerId }) => peerId === root)?.heartbeat).toMatchObject({ cost_usd: 1_000_000 })
  })

  it.each([
    ['its turn', { kind: 'turn_completed', turnId: 't', reason: 'interrupted' }],
    ['its session', { kind: 'session_ended', why: 'stopped' }],
  ] as const)('[TREE-2.8] a wait is gone with %s, and not a later one', async (_, over) => {
    const [one = '', other = ''] = await children(2)
    const gone = await say(one, 'wait', { sessionIds: [other] }, 32)
    await agent.emit(one, over)
    const later = await say(one, 'wait', { sessionIds: [other] })
    expect(await answered(one, 'read')).toMatchObject({ ok: true })
    await agent.emit(
      other,
      { kind: 'user_message', promptId: 'p', text: 'x', commandId: commandOf(other) },
      { kind: 'turn_started', turnId: 't', trigger: 'prompt' },
      { kind: 'turn_completed', turnId: 't', reason: 'completed' },
    )
    await agent.state(hostState(other, { atSeq: 4, status: { status: 'idle' } }))
    await expect.poll(async () => hub.core.tick().then(() => outcomes(later))).toEqual({ ok: 1 })
    expect(outcomes(gone)).toEqual({ open: 32 })
  })

  const commandOf = (sessionId: string) =>
    agent.commands.find((command) => command.sessionId === sessionId && command.body.kind === 'session.create')
      ?.commandId ?? ''
})
