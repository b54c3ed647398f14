import type { AskAnswerRequest } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { message, type Program, person, phase, program } from '../../testing/bus-program'
import type { FakeAgent } from '../../testing/fake-agent'
import { liveSession, requested } from '../../testing/scenario'
import { ana, ben, TestHub, vic } from '../../testing/test-hub'
import { answerMessage } from './answer-message'

const options = [
  { id: 'A', label: 'full rewrite' },
  { id: 'B', label: 'patch' },
]
const asks = (request_id: string, kind = 'REQUEST') => ({
  kind,
  severity: 'info',
  message: 'Rewrite or patch?',
  request_id,
  data: { options },
})

it.each<[AskAnswerRequest, string, object]>([
  [{ decision: 'approve' }, 'approve', {}],
  [{ decision: 'approve', text: ' After the tests. ' }, 'approve', { text: 'After the tests.' }],
  [{ decision: 'approve', option: 'B', text: 'Small.' }, 'approve', { chosen: 'B', text: 'Small.' }],
  [{ decision: 'reject' }, 'reject', { reason: 'A person rejected it without a reason.' }],
  [{ decision: 'reject', text: 'Too late.' }, 'reject', { reason: 'Too late.' }],
])('[BUS-12.5] the answer %j is the command %s', (request, name, data) => {
  expect(answerMessage({ peerId: 'p7', requestId: 'r1', request }, 'm1')).toEqual({
    v: 1,
    id: 'm1',
    topic: `cmd.p7.${name}`,
    correlation_id: 'r1',
    schema: `cmd-${name}-v1`,
    data: { correlation_id: 'r1', ...data },
  })
})

describe('[BUS-12] an ask', () => {
  let hub: TestHub
  let agent: FakeAgent
  beforeEach(async () => {
    hub = await TestHub.start()
    agent = await hub.connectedAgent()
  })
  afterEach(() => hub.stop())

  const answer = (peerId: string, requestId: string, request: AskAnswerRequest, actor = ana, key = hub.key()) =>
    hub.core.asks.answer(actor, peerId, requestId, request, key)
  const open = async (peerId: string) =>
    (await hub.core.bus.peers(ana)).items.find((peer) => peer.peerId === peerId)?.asks.map((ask) => ask.requestId)
  /** Of a session, through its log. */
  const session = async (...ids: string[]) => {
    const sessionId = await liveSession(hub, agent)
    const topic = `worker.${sessionId}.event`
    for (const id of ids)
      await agent.emit(sessionId, {
        kind: 'published',
        id: `e-${id}`,
        topic,
        schema: 'worker-event-v1',
        data: asks(id),
        correlationId: id,
      })
    await expect.poll(() => open(sessionId)).toEqual(ids)
    return sessionId
  }
  const told = () => agent.commands.filter(({ body }) => body.kind === 'program.tell')
  const ended = async (state: 'done' | 'refused') => {
    await agent.waiter.until(() => told().length > 0)
    const error = { code: 'FORBIDDEN', message: 'no', retryable: false }
    const news = state === 'done' ? { state } : { state, error }
    const { commandId, sessionId } = told().at(-1) ?? {}
    expect(await agent.ask('command', { commandId, sessionId, answer: news })).toMatchObject({ ok: true })
  }

  it('[BUS-12.5] is answered by one command of its session, with words and one of the options that it offers', async () => {
    const sessionId = await session('r1')
    const view = await answer(sessionId, 'r1', { decision: 'approve', option: 'B', text: 'Small.' })
    const by = { by: 'Ana', peerId: `u_${ana.userId}`, at: expect.any(Number) }
    expect(view).toEqual({
      peerId: sessionId,
      requestId: 'r1',
      state: 'closed',
      answer: { decision: 'approve', option: options[1], ...by },
    })
    expect(await hub.core.asks.find(vic, sessionId, 'r1')).toEqual(view)
    await agent.waiter.until(() => told().length > 0)
    const data = { correlation_id: 'r1', chosen: 'B', text: 'Small.' }
    expect(told().map(({ body, author }) => [body, author.userId])).toEqual([
      [{ kind: 'program.tell', name: 'approve', correlationId: 'r1', data }, ana.userId],
    ])
    const { items } = await hub.core.bus.page(ana, { after: 0, pattern: 'cmd.**', limit: 9 })
    expect(items).toMatchObject([{ topic: `cmd.${sessionId}.approve`, from_name: 'Ana', data }])
    const [row] = (await hub.core.auditLog.page(ana, { limit: 1 })).items
    expect([row?.action, row?.object, row?.actorName]).toEqual(['ask.answer', 'r1', 'Ana'])
    expect(JSON.parse(row?.detail ?? '')).toMatchObject({ peerId: sessionId, decision: 'approve', option: 'B' })
  })

  it('[BUS-12.6] has one winner of two people who answer at once; the other hears who and how', async () => {
    const sessionId = await session('r1')
    const both = await Promise.allSettled([
      answer(sessionId, 'r1', { decision: 'approve' }, ana),
      answer(sessionId, 'r1', { decision: 'reject', text: 'No.' }, ben),
    ])
    const [won, lost] = [both.find((one) => one.status === 'fulfilled'), both.find((one) => one.status === 'rejected')]
    const winner = won?.value.answer
    expect(lost?.reason).toMatchObject({ code: 'ASK_CLOSED', status: 409, details: { answer: winner } })
    const [by, how] = winner?.decision === 'approve' ? ['Ana', 'approved'] : ['Ben', 'rejected']
    expect(lost?.reason.message).toBe(`Answered by ${by}: ${how}.`)
    await agent.waiter.until(() => told().length > 0)
    await hub.core.tick()
    expect(told()).toHaveLength(1)
  })

  it('[BUS-12.6] gives the first answer again to a repeat with its key, and another body under it is refused', async () => {
    const sessionId = await session('r1')
    const first = await answer(sessionId, 'r1', { decision: 'reject' }, ana, 'k1')
    expect(await answer(sessionId, 'r1', { decision: 'reject' }, ana, 'k1')).toEqual(first)
    await expect(answer(sessionId, 'r1', { decision: 'approve' }, ana, 'k1')).rejects.toMatchObject({
      code: 'IDEMPOTENCY_MISMATCH',
    })
    await agent.waiter.until(() => told().length > 0)
    await hub.core.tick()
    expect(told()).toHaveLength(1)
  })

  it('[BUS-12.5] takes no option that it does not offer, and stays open', async () => {
    const sessionId = await session('r1')
    for (const odd of [
      { decision: 'approve', option: 'C' },
      { decision: 'reject', option: 'B' },
    ] as const)
      await expect(answer(sessionId, 'r1', odd)).rejects.toMatchObject({ code: 'ANSWER_INVALID' })
    expect([await open(sessionId), told()]).toEqual([['r1'], []])
  })

  it('[BUS-12.7] is answered by nobody who may not command its peer, and is hidden from whoever may not see it', async () => {
    const sessionId = await session('r1')
    const approver = { ...ben, role: 'approver' as const }
    await expect(answer(sessionId, 'r1', { decision: 'approve' }, vic)).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await expect(answer(sessionId, 'r1', { decision: 'approve' }, approver)).rejects.toMatchObject({
      code: 'FORBIDDEN',
    })
    const stranger = { ...ben, agents: new Set<string>() }
    for (const asked of [
      answer(sessionId, 'r1', { decision: 'approve' }, stranger),
      hub.core.asks.find(stranger, sessionId, 'r1'),
    ])
      await expect(asked).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(answer(sessionId, 'r2', { decision: 'approve' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(answer('p_nobody', 'r1', { decision: 'approve' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect([await open(sessionId), told()]).toEqual([['r1'], []])
  })

  it('[BUS-12.8] answers no permission request, not even where a program asks under its id', async () => {
    const sessionId = await session('r1')
    await agent.emit(sessionId, requested('r1'), requested('r2'))
    await expect(answer(sessionId, 'r1', { decision: 'approve' })).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await expect(answer(sessionId, 'r2', { decision: 'approve' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(hub.store.now.requests.find('r1')).toMatchObject({ decision: null, outcome: 'open' })
    expect(told()).toEqual([])
  })

  it('[BUS-12.9] is open again when the machine refuses the command that carries its answer, unless the program went on', async () => {
    const sessionId = await session('r1', 'r2')
    await answer(sessionId, 'r1', { decision: 'approve' })
    expect(await open(sessionId)).toEqual(['r2'])
    await ended('refused')
    await expect.poll(() => open(sessionId)).toEqual(['r1', 'r2'])
    await answer(sessionId, 'r1', { decision: 'reject' }, ben)
    const moves = {
      kind: 'published',
      id: 'e-3',
      topic: `worker.${sessionId}.phase`,
      schema: 'worker-phase-v1',
    } as const
    const data = { phase: 'SPAWN', prev: 'PLAN', transition_reason: 'x', phases_completed: ['PLAN'] }
    await agent.emit(sessionId, { ...moves, data })
    await expect.poll(() => open(sessionId)).toEqual([])
    await agent.waiter.until(() => told().length === 2)
    await ended('refused')
    await hub.core.tick()
    expect(await open(sessionId)).toEqual([])
    expect((await hub.core.asks.find(ana, sessionId, 'r1')).answer).toMatchObject({ by: 'Ben', decision: 'reject' })
    expect((await hub.core.asks.find(ana, sessionId, 'r2')).answer).toBeNull()
    await expect(answer(sessionId, 'r2', { decision: 'approve' })).rejects.toMatchObject({ code: 'ASK_CLOSED' })
  })

  describe('[BUS-12.2] an orchestrator tells a session', () => {
    let boss: Program
    let sessionId: string
    beforeEach(async () => {
      await person(hub, 'fay', 'operator', [agent.agentId])
      boss = await program(hub, 'fay', 'orchestrator')
      sessionId = await session('r1')
    })
    const say = (name: string, data: object) =>
      boss.publish(message(`cmd.${sessionId}.${name}`, `cmd-${name.replace('_', '-')}-v1`, data))

    it.each([
      ['approve', { correlation_id: 'r1' }, 'approve'],
      ['reject', { correlation_id: 'r1', reason: 'no' }, 'reject'],
      ['set_phase', { correlation_id: 'r1', phase: 'RECOVER', reason: 'x' }, 'set_phase'],
    ] as const)('%s, which closes what it names once its program has it', async (name, data, decision) => {
      await say(name, data)
      await agent.waiter.until(() => told().length > 0)
      await hub.core.tick()
      expect(await open(sessionId)).toEqual(['r1'])
      await ended('done')
      await expect.poll(() => open(sessionId)).toEqual([])
      const { answer: given } = await hub.core.asks.find(ana, sessionId, 'r1')
      expect(given).toMatchObject({ decision, peerId: boss.peerId })
    })

    it('and closes nothing where its program never has it, by text, or by a command that names nothing', async () => {
      await say('inject_text', { text: 'Go on.', correlation_id: 'r1' })
      await say('set_phase', { phase: 'RECOVER', reason: 'x' })
      await ended('done')
      await say('approve', { correlation_id: 'r1' })
      await agent.waiter.until(() => told().length === 2)
      await ended('refused')
      await hub.core.tick()
      expect(await open(sessionId)).toEqual(['r1'])
    })

    it('but a person who answers meanwhile is first', async () => {
      await say('approve', { correlation_id: 'r1' })
      await answer(sessionId, 'r1', { decision: 'reject' })
      await ended('done')
      await hub.core.tick()
      expect((await hub.core.asks.find(ana, sessionId, 'r1')).answer).toMatchObject({ decision: 'reject', by: 'Ana' })
    })
  })

  it('[BUS-12.5] of a program with a token is answered by its message, and by whichever road came first', async () => {
    await person(hub, 'cleo', 'operator')
    const [worker, boss] = [await program(hub, 'cleo', 'worker'), await program(hub, 'cleo', 'orchestrator')]
    const { peerId } = worker
    const event = (id: string) => message(`worker.${peerId}.event`, 'worker-event-v1', asks(id, 'BLOCKED'))
    await worker.publish(event('r1'), event('r2'))
    await answer(peerId, 'r1', { decision: 'reject', text: 'Not now.' })
    await boss.publish(message(`cmd.${peerId}.approve`, 'cmd-approve-v1', { correlation_id: 'r2' }))
    const late = answer(peerId, 'r2', { decision: 'reject' })
    await expect(late).rejects.toMatchObject({ code: 'ASK_CLOSED', details: { answer: { peerId: boss.peerId } } })
    expect((await worker.read('cmd.**')).map(({ data }) => data)).toEqual([
      { correlation_id: 'r1', reason: 'Not now.' },
      { correlation_id: 'r2' },
    ])
    await worker.publish(event('r3'), phase(peerId, 'SPAWN', 'PLAN'))
    await expect(answer(peerId, 'r3', { decision: 'approve' })).rejects.toMatchObject({ code: 'ASK_CLOSED' })
  })
})
