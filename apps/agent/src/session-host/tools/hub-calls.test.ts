/** What a program asks of the hub by the tools of its session host: one event, one answer. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ToolWorld } from '../../testing/tool-world'
import { HubCalls } from './hub-calls'

describe('a tool that the hub answers', () => {
  let tools: ToolWorld
  beforeEach(async () => {
    tools = await ToolWorld.create()
  })
  afterEach(() => tools.dispose())

  const requests = () => tools.world.of('session_request')
  const answer = (requestId: string, result: Record<string, unknown>) =>
    tools.world.command({ kind: 'tool.answer', requestId, answer: { ok: true, result } })

  it('[TREE-2.1] is an event of the session without secrets, and its answer is the result of the call', async () => {
    const host = await tools.inTurn()
    const prompt = `Run the tests with ghp_${'a1B2'.repeat(9)}.`
    const call = tools.call('spawn_session', { prompt, machine: 'box' }, 'call-1')
    await expect.poll(requests).toHaveLength(1)
    expect(requests()).toMatchObject([
      { requestId: 'call-1', verb: 'spawn', input: { machine: 'box' }, turnId: expect.any(String), redacted: 1 },
    ])
    await host.run(answer('call-1', { sessionId: 's2' }))
    expect(await call).toEqual({ sessionId: 's2' })
  })

  it('[TREE-2.2] is one request, however often the call comes, and a call after the answer gets it, too', async () => {
    const host = await tools.inTurn()
    const asked = ['wait_sessions', {}, 'call-same'] as const
    const calls = [tools.call(...asked), tools.call(...asked)]
    await expect.poll(requests).toHaveLength(1)
    await host.run(answer('call-same', { timedOut: false }))
    expect(await Promise.all([...calls, tools.call(...asked)])).toEqual(Array(3).fill({ timedOut: false }))
    expect(requests()).toHaveLength(1)
  })

  it('[TREE-2.3] ends with the code of the hub', async () => {
    const host = await tools.inTurn()
    const call = tools.call('spawn_session', { prompt: 'x' }, 'call-1').catch((error: unknown) => error)
    await expect.poll(requests).toHaveLength(1)
    const refusal = { ok: false, error: { code: 'SPAWNING_OFF', message: 'Nobody allowed it.' } } as const
    await host.run(tools.world.command({ kind: 'tool.answer', requestId: 'call-1', answer: refusal }))
    expect(await call).toMatchObject({ code: 'SPAWNING_OFF', message: 'Nobody allowed it.' })
  })

  it('[TREE-2.3] ends in bounded time at a hub that never answers, and with its turn', async () => {
    const calls = new HubCalls({ journal: { record: async () => 1 }, place: () => ({}), patienceMs: 1 })
    const call = { requestId: 'r1', verb: 'spawn', input: {}, withdrawn: new AbortController().signal } as const
    await expect(calls.ask(call)).rejects.toMatchObject({ code: 'QUESTION_TIMEOUT' })
    const patient = new HubCalls({ journal: { record: async () => 1 }, place: () => ({}) })
    const waiting = patient.ask({ ...call, requestId: 'r2' })
    patient.dropAll()
    await expect(waiting).rejects.toMatchObject({ code: 'REQUEST_GONE' })
  })

  it('[TREE-2.3] is forgotten in the end where the hub never answers, and a wait with its turn', async () => {
    const asked: string[] = []
    const record = async ([event]: readonly unknown[]) => asked.push((event as { requestId: string }).requestId)
    const calls = new HubCalls({ journal: { record } as never, place: () => ({}), patienceMs: 1 })
    const { signal: withdrawn } = new AbortController()
    const ask = (requestId: string, verb: 'spawn' | 'wait' = 'spawn') =>
      calls.ask({ requestId, verb, input: {}, withdrawn }).catch(() => {})
    const ids = Array.from({ length: 1_100 }, (_, i) => `r${i}`)
    for (let i = 0; i < ids.length; i += 100) await Promise.all(ids.slice(i, i + 100).map((id) => ask(id)))
    asked.length = 0
    await Promise.all([ask('r1099'), ask('r0')])
    expect(asked).toEqual(['r0'])
    for (const verb of ['wait', 'spawn'] as const) {
      const waiting = ask(verb, verb)
      calls.dropAll()
      await waiting
      const again = ask(verb, verb)
      calls.dropAll()
      await again
    }
    expect(asked).toEqual(['r0', 'wait', 'wait', 'spawn'])
  })

  it('[TREE-2.1] is refused, and not cut, where it is too long for an event', async () => {
    await tools.inTurn()
    const prompt = '\u0001'.repeat(20_000)
    await expect(tools.call('spawn_session', { prompt })).rejects.toMatchObject({ code: 'MESSAGE_TOO_LARGE' })
    expect(requests()).toEqual([])
  })

  const wrong = [
    ['spawn_session', {}],
    ['spawn_session', { prompt: 'x', permissionMode: 'bypass' }],
    ['send_message', { sessionId: '../x', text: 'x' }],
    ['wait_sessions', { sessionIds: [] }],
    ['read_session', { after: -1 }],
  ] as const
  it('says what is wrong with an input', async () => {
    await tools.inTurn()
    for (const [tool, input] of wrong)
      await expect(tools.call(tool, input), tool).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    expect(requests()).toEqual([])
  })
})
