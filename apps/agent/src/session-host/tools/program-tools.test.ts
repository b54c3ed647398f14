/** What a program says and asks by the tools of its session host, on real processes. */
import type { CodedError } from '@roundhouse/backend-types'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { HostView } from '../../testing/host-world'
import { ToolWorld } from '../../testing/tool-world'

let tools: ToolWorld
/** Published before the test. */
let before = 0

const published = () => tools.world.of('published').slice(before)
const tell = (name: 'approve' | 'reject' | 'set_phase', data: Record<string, unknown>, correlationId?: string) =>
  tools.world.command({ kind: 'program.tell', name, data, ...(correlationId ? { correlationId } : {}) })

describe('what a program publishes and asks in one turn', () => {
  let host: HostView
  beforeAll(async () => {
    tools = await ToolWorld.create()
    host = await tools.inTurn()
  })
  afterAll(() => tools.dispose())
  beforeEach(() => {
    before = tools.world.of('published').length
  })

  it('[TOOL-3.1] [TOOL-3.2] is an event of its session, on disk when the call returns, with its turn and program, without secrets, and once however often the same call comes, also on another connection', async () => {
    const token = `ghp_${'a1B2'.repeat(9)}`
    const answer = await tools.call('publish_event', {
      kind: 'PROGRESS',
      message: `3 of 7, ${token}`,
      data: { percent: 0.43 },
    })
    const [event] = published()
    const turnId = tools.world.of('turn_started')[0]?.turnId ?? ''
    expect(event).toMatchObject({
      kind: 'published',
      id: answer.id,
      turnId,
      procId: tools.world.record().procs[0]?.procId,
      topic: `worker.${tools.world.sessionId}.event`,
      schema: 'worker-event-v1',
      data: { kind: 'PROGRESS', severity: 'info', data: { percent: 0.43 } },
      redacted: 1,
    })
    expect(JSON.stringify(event)).not.toContain(token)
    expect(tools.world.envelopes().find(({ seq }) => seq === answer.seq)?.kind).toBe('published')
    const asked = ['publish_event', { kind: 'LOG', message: 'Once.' }, 'call-same'] as const
    const answers = [await tools.call(...asked), await tools.call(...asked)]
    expect(answers[1]).toEqual(answers[0])
    expect(published()).toHaveLength(2)
  })

  const wrong = [
    ['no such tool', 'stop_session', {}, 'NOT_FOUND'],
    ['no message', 'publish_event', { kind: 'LOG' }, 'INVALID_ARGUMENT'],
    ['a foreign field', 'publish_event', { kind: 'LOG', message: 'x', from_peer: 'p1' }, 'INVALID_ARGUMENT'],
    ['a kind that is none', 'publish_event', { kind: 'SYSTEM', message: 'x' }, 'INVALID_ARGUMENT'],
    ['no object', 'complete', 'done', 'INVALID_ARGUMENT'],
    ['nothing', 'publish_phase', null, 'INVALID_ARGUMENT'],
    ['a wrong id', 'ask_orchestrator', { message: 'x', request_id: '../x' }, 'INVALID_ARGUMENT'],
    [
      'too much',
      'publish_event',
      { kind: 'LOG', message: 'x', data: { text: 'x'.repeat(70_000) } },
      'MESSAGE_TOO_LARGE',
    ],
  ] as const
  it('that is wrong is refused by a code, and the next call is heard', async () => {
    for (const [at, [what, tool, input, code]] of wrong.entries()) {
      const client = await tools.client()
      await expect(client.call({ callId: `call-w${at}`, tool, input }), what).rejects.toMatchObject({ code })
      expect(published()).toHaveLength(at)
      await client.call({ callId: `call-r${at}`, tool: 'publish_event', input: { kind: 'LOG', message: 'Right.' } })
      expect(published()).toHaveLength(at + 1)
    }
  })

  it('[BUS-5.7] that is too much at once is refused with the time to wait, and is not in the log; a move that is refused does not count', async () => {
    const client = await tools.client()
    const data = { text: 'x'.repeat(60_000) }
    const say = (tool: string, input: object) => client.call({ callId: `call-f${++calls}`, tool, input })
    let calls = 0
    const refused: CodedError[] = []
    while (refused.length === 0 && calls < 2_000) {
      const answers = Array.from({ length: 32 }, () => say('publish_event', { kind: 'LOG', message: 'x', data }))
      for (const answer of await Promise.allSettled(answers))
        if (answer.status === 'rejected') refused.push(answer.reason)
    }
    expect(refused[0]).toMatchObject({ code: 'RATE_LIMITED', details: { retryAfterMs: expect.any(Number) } })
    expect(refused[0]?.message).toMatch(/Try again in \d\.\d s\./)
    expect(published()).toHaveLength(calls - refused.length)
    // On one connection, so the move comes right behind what uses up the pace.
    const flood = Promise.allSettled(
      Array.from({ length: 60 }, () => say('publish_event', { kind: 'LOG', message: 'x', data })),
    )
    const metadata = { text: 'x'.repeat(60_000) }
    await expect(say('publish_phase', { phase: 'SPAWN', metadata })).rejects.toMatchObject({ code: 'RATE_LIMITED' })
    await flood
    await say('publish_phase', { phase: 'SPAWN' })
    expect(published().at(-1)?.data).toMatchObject({
      phase: 'SPAWN',
      prev: 'PLAN',
      phases_completed: ['PLAN', 'SPAWN'],
    })
  })

  it('[TOOL-4.1] waits for the command that answers it, which is its result and no line of text', async () => {
    const asking = tools.call('ask_orchestrator', {
      message: 'Rewrite or patch?',
      request_id: 'r1',
      options: [{ id: 'B', label: 'patch' }],
    })
    await host.until(() => published().length === 1)
    expect(published()[0]).toMatchObject({
      correlationId: 'r1',
      data: { kind: 'REQUEST', request_id: 'r1', data: { request_type: 'decision', options: [{ id: 'B' }] } },
    })
    expect(await host.run(tell('approve', { correlation_id: 'r1', chosen: 'B' }, 'r1'))).toEqual({ state: 'done' })
    expect(await asking).toEqual({
      request_id: 'r1',
      answered: true,
      command: 'approve',
      r: 'r1',
      data: { correlation_id: 'r1', chosen: 'B' },
    })
    expect(tools.world.of('user_message')).toHaveLength(1)
  })

  it('[TOOL-4.2] is not answered by a command for another request: that one is told as a line', async () => {
    const asking = tools.call('ask_orchestrator', { message: 'Which?', request_id: 'r3', timeout_seconds: 600 })
    await host.until(() => published().length === 1)
    await host.run(tell('reject', { correlation_id: 'r4', reason: 'no' }, 'r4'))
    const line = tools.world.of('user_message').at(-1)
    expect(line).toMatchObject({ text: '[CLAWS_CMD r=r4] reject: {"correlation_id":"r4","reason":"no"}', steer: true })
    await host.run(tell('approve', { correlation_id: 'r3' }, 'r3'))
    expect(await asking).toMatchObject({ answered: true, command: 'approve' })
  })

  it('says so when its time is over, and the answer that comes later is a line', async () => {
    const asked = { message: 'Which?', request_id: 'r5', timeout_seconds: 0.001 }
    expect(await tools.call('ask_orchestrator', asked)).toMatchObject({ answered: false, request_id: 'r5' })
    await host.run(tell('approve', { correlation_id: 'r5' }, 'r5'))
    expect(tools.world.of('user_message').at(-1)?.text).toBe('[CLAWS_CMD r=r5] approve: {"correlation_id":"r5"}')
  })
})

const each = () => {
  beforeEach(async () => {
    before = 0
    tools = await ToolWorld.create()
  })
  afterEach(() => tools.dispose())
}

describe('what a program publishes', () => {
  each()

  it('[BUS-6.5] completes with the phases that it went through', async () => {
    await tools.inTurn()
    for (const phase of ['SPAWN', 'DEPLOY']) await tools.call('publish_phase', { phase, reason: 'next' })
    await tools.call('complete', { summary: 'Done.', artifacts: [{ path: 'a.md' }] })
    expect(published().map(({ schema, data }) => [schema, data])).toEqual([
      [
        'worker-phase-v1',
        { phase: 'SPAWN', prev: 'PLAN', transition_reason: 'next', phases_completed: ['PLAN', 'SPAWN'] },
      ],
      [
        'worker-phase-v1',
        { phase: 'DEPLOY', prev: 'SPAWN', transition_reason: 'next', phases_completed: ['PLAN', 'SPAWN', 'DEPLOY'] },
      ],
      [
        'worker-complete-v1',
        {
          result: 'ok',
          summary: 'Done.',
          artifacts: [{ path: 'a.md' }],
          phases_completed: ['PLAN', 'SPAWN', 'DEPLOY'],
        },
      ],
    ])
  })

  it('[BUS-6.5] names each phase once, however often it comes back to it', async () => {
    await tools.inTurn()
    const round = ['SPAWN', 'DEPLOY', 'OBSERVE']
    for (const phase of [...round, ...round]) await tools.call('publish_phase', { phase })
    await tools.call('complete', { summary: 'Done.' })
    for (const { data } of published().slice(-2)) expect(data).toMatchObject({ phases_completed: ['PLAN', ...round] })
  })

  it('[BUS-8.2] begins in PLAN again with each program of its session', async () => {
    const host = await tools.inTurn()
    for (const phase of ['SPAWN', 'DEPLOY']) await tools.call('publish_phase', { phase })
    await tools.anotherProgram(host)
    await tools.call('publish_phase', { phase: 'SPAWN' })
    expect(published().at(-1)?.data).toMatchObject({
      phase: 'SPAWN',
      prev: 'PLAN',
      phases_completed: ['PLAN', 'SPAWN'],
    })
  })

  it('[TOOL-3.3] may be a move that the table does not have: it is in the log, the program is told, and it does not count', async () => {
    const host = await tools.inTurn()
    await expect(tools.call('publish_phase', { phase: 'CLEANUP' })).rejects.toMatchObject({
      code: 'PHASE_ILLEGAL',
      details: { phase: 'CLEANUP', prev: 'PLAN' },
    })
    expect(published()).toHaveLength(1)
    await host.run(tell('set_phase', { phase: 'CLEANUP', reason: 'hurry' }))
    expect(await tools.call('publish_phase', { phase: 'CLEANUP' })).toMatchObject({ seq: expect.any(Number) })
    expect(published().at(-1)).toMatchObject({
      data: { phase: 'CLEANUP', prev: 'PLAN', phases_completed: ['PLAN', 'CLEANUP'] },
      forced: true,
    })
    await tools.call('publish_phase', { phase: 'REFLECT' })
    expect(published().at(-1)?.forced).toBeUndefined()
  })
})

describe('what a program asks', () => {
  each()

  it('[TOOL-4.3] waits no longer than its turn, and no command goes to a call that nobody reads', async () => {
    const host = await tools.inTurn()
    const asking = tools.call('ask_orchestrator', { message: 'Which?', request_id: 'r1' })
    const over = expect(asking).rejects.toMatchObject({ code: 'REQUEST_GONE' })
    await host.until(() => published().length === 1)
    const turnId = tools.world.of('turn_started')[0]?.turnId ?? ''
    await host.client.command(tools.world.command({ kind: 'turn.interrupt', turnId }))
    await over
    await host.client.command(tell('approve', { correlation_id: 'r1' }, 'r1'))
    await host.until(() => tools.world.of('user_message').length === 2)
    expect(tools.world.of('user_message').at(-1)?.text).toContain('[CLAWS_CMD r=r1] approve')
  })

  it('reads the next command whatever it is about', async () => {
    const host = await tools.inTurn()
    expect(await tools.call('read_commands', {})).toEqual({ commands: [] })
    const client = await tools.client()
    const reading = client.call({ callId: 'call-wait', tool: 'read_commands', input: { wait: true } })
    // Behind it on the same connection, so the host has heard it.
    await client.call({ callId: 'call-log', tool: 'publish_event', input: { kind: 'LOG', message: 'Here.' } })
    await host.run(tell('set_phase', { phase: 'SPAWN', reason: 'go' }))
    expect(await reading).toMatchObject({ commands: [{ command: 'set_phase', data: { phase: 'SPAWN' } }] })
    expect(tools.world.of('user_message')).toHaveLength(1)
  })
})

describe('a command that nobody waits for', () => {
  each()

  it('[TOOL-4.2] begins a turn of a session that rests', async () => {
    const host = await tools.open()
    await host.client.command(tools.world.create())
    await host.client.command(tell('approve', { correlation_id: 'r9', note: 'two\nlines' }, 'r9'))
    await host.until(() => tools.world.of('user_message').length === 1)
    expect(tools.world.of('user_message')).toMatchObject([
      { text: '[CLAWS_CMD r=r9] approve: {"correlation_id":"r9","note":"two\\nlines"}', author: { name: 'Ana' } },
    ])
  })

  it('[TOOL-4.4] decides no request for permission', async () => {
    const host = await tools.open()
    const writes = 'SCRIPT: [{"tool":"Write","input":{"file_path":"a.txt","content":"x"}},{"text":"Done."}]'
    await host.client.command(tools.world.create({}, writes))
    await host.status('needs_you')
    const [ask] = host.state.requests
    for (const id of [ask?.requestId, ask?.callId]) {
      const answer = await host.client.command(tell('approve', { correlation_id: id }, id))
      expect(answer).toMatchObject({ state: 'refused', error: { code: 'FORBIDDEN' } })
    }
    expect(tools.world.of('permission_resolved')).toEqual([])
    expect(tools.world.of('user_message')).toHaveLength(1)
  })
})
