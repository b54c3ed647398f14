import { CodedError, type CommandAnswer, type HostState } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { FakeAgent } from '../testing/fake-agent'
import { hostState, liveHub, liveSession, requested, settings } from '../testing/scenario'
import { ana, type TestHub } from '../testing/test-hub'

const asleep = { status: 'resumable', why: 'idle' } as const
const idle = { status: 'idle' } as const

describe('a session with a prompt on its way', () => {
  let hub: TestHub
  let agent: FakeAgent
  let sessionId: string
  beforeEach(async () => {
    ;({ hub, agent, sessionId } = await liveHub())
  })
  afterEach(() => hub.stop())

  /** The filters by which a list has it. */
  const foundBy = async (of: string) => {
    const filters = ['waiting_for_agent', 'starting', 'idle', 'running', 'needs_you', 'resumable', 'ended'] as const
    const found = filters.map(async (status) => {
      const { items } = await hub.core.sessions.list(ana, { limit: 9, status })
      return items.some((one) => one.sessionId === of) ? status : []
    })
    return (await Promise.all(found)).flat()
  }
  const shown = async (of = sessionId) => {
    const { session } = await hub.core.sessions.snapshot(ana, of)
    const listed = (await hub.core.sessions.list(ana, { limit: 9 })).items.find((one) => one.sessionId === of)
    expect(listed?.status).toEqual(session.status)
    expect(await foundBy(of)).toEqual([session.status.status])
    return session.status
  }
  const begin = () =>
    agent.emit(sessionId, { kind: 'session_started', procId: 'p', backendSessionId: 'b', resumed: false })
  const says = (rev: number, change: Partial<HostState>, of = sessionId) =>
    agent.state(hostState(of, { rev, atSeq: 2, ...change }))
  const prompt = async () => {
    const made = await hub.core.sessions.prompt(ana, sessionId, { promptId: 'p1', text: 'Go on.' }, hub.key())
    await agent.waiter.until(() => agent.commands.some(({ commandId }) => commandId === made.commandId))
    return made
  }
  const stateOfPrompt = async () =>
    (await hub.core.sessions.snapshot(ana, sessionId)).session.commands.find(({ promptId }) => promptId === 'p1')?.state
  const answeredLater = () => {
    let give: (answer: CommandAnswer) => void = () => {}
    agent.answer = () => new Promise((resolve) => (give = resolve))
    return (answer: CommandAnswer) => give(answer)
  }
  const turn = (commandId: string) =>
    agent.emit(sessionId, { kind: 'turn_started', turnId: 't', procId: 'p', trigger: 'prompt', commandId })
  const turnEnds = () =>
    agent.emit(sessionId, { kind: 'turn_completed', turnId: 't', procId: 'p', reason: 'completed' })

  it('[SES-6.8] is not at rest from the moment it is sent until its turn ends, in its view and its lists', async () => {
    await begin()
    await says(2, { status: idle })
    expect(await shown()).toEqual(idle)
    const answer = answeredLater()
    const { commandId } = await prompt()
    expect(await shown()).toEqual({ status: 'running' })
    answer({ state: 'accepted' })
    await expect.poll(stateOfPrompt).toBe('accepted')
    expect(await shown()).toEqual({ status: 'running' })
    await turn(commandId)
    await says(3, { status: { status: 'running' }, atSeq: 3, turnId: 't' })
    expect(await shown()).toEqual({ status: 'running' })
    await turnEnds()
    expect(await shown()).toEqual(idle)
  })

  it('[SES-6.8] starts, if no program runs yet or any more', async () => {
    const fresh = await liveSession(hub, agent, 'Begin.')
    await says(2, { status: idle, atSeq: 1 }, fresh)
    expect(await shown(fresh)).toEqual({ status: 'starting' })
    await begin()
    await says(2, { status: asleep })
    expect(await shown()).toEqual(asleep)
    await prompt()
    expect(await shown()).toEqual({ status: 'starting' })
    // Its host runs again, and has started no program yet.
    await says(3, { status: idle, atSeq: 3 })
    expect(await shown()).toEqual({ status: 'starting' })
  })

  it('[SES-6.8] rests as before if the prompt was refused', async () => {
    await begin()
    await says(2, { status: idle })
    agent.answer = () => ({ state: 'refused', error: new CodedError('POLICY_DENIED').toBody() })
    await prompt()
    await expect.poll(stateOfPrompt).toBe('refused')
    expect(await shown()).toEqual(idle)
  })

  it('[SES-6.8] rests while its machine is away, or the prompt waits in a held queue', async () => {
    await begin()
    await says(2, { status: idle })
    answeredLater()
    await prompt()
    await hub.leave(agent)
    expect(await shown()).toEqual(idle)
    agent.answer = () => ({ state: 'accepted' })
    await agent.connect()
    await says(3, { status: idle })
    await expect.poll(shown).toEqual({ status: 'running' })
    await says(4, { status: idle, queueHeld: true })
    expect(await shown()).toEqual(idle)
  })

  it('[SES-6.8] that begins without a prompt rests', async () => {
    await says(2, { status: idle, atSeq: 1 })
    expect(await shown()).toEqual(idle)
  })

  it('[SES-6.5] is found by the state that it is shown with, also where a request or a refusal decides', async () => {
    await begin()
    await says(2, { status: { status: 'running' }, turnId: 't' })
    await agent.emit(sessionId, requested('req_1'))
    expect(await shown()).toEqual({ status: 'needs_you' })
    await hub.core.permissions.decide(ana, 'req_1', { decision: 'allow', digest: 'digest-req_1' }, hub.key())
    expect(await shown()).toEqual({ status: 'running' })
    agent.answer = () => ({ state: 'refused', error: new CodedError('POLICY_DENIED').toBody() })
    const made = await hub.core.sessions.create(ana, { agentId: agent.agentId, settings }, hub.key())
    await expect.poll(async () => (await shown(made.sessionId)).status).toBe('ended')
  })

  it('[JOIN-3.4] is found as ended when its machine is revoked, also where it never began or a host still speaks', async () => {
    await begin()
    await says(2, { status: idle })
    const other = await hub.connectedAgent()
    const resting = await liveSession(hub, other)
    await hub.leave(other)
    for (const { agentId } of [agent, other]) await hub.core.agents.revoke(ana, agentId, hub.key())
    const ended = { status: 'ended', why: 'agent_revoked' }
    expect([await shown(), await shown(resting)]).toEqual([ended, ended])
  })
})
