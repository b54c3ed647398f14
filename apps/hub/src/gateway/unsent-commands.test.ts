/** What waits for its machine goes out by rights that hold then, not by those of the day on which it was said. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { FakeAgent } from '../testing/fake-agent'
import { liveHub, requested } from '../testing/scenario'
import { type StoredPerson, storePerson } from '../testing/stored-person'
import { ana, ben, type TestHub } from '../testing/test-hub'

describe('a command that waits for its machine', () => {
  let hub: TestHub
  let agent: FakeAgent
  let sessionId: string
  let person: StoredPerson
  beforeEach(async () => {
    ;({ hub, agent, sessionId } = await liveHub())
    await agent.emit(sessionId, requested('req_1'))
    person = await storePerson(hub, ben, [agent.agentId])
  })
  afterEach(() => hub.stop())

  const settings = { backend: 'scripted', workDir: '/code/demo' }
  /** A prompt, a session and a decision, while the machine is away. */
  async function sayAll(actor = person.actor) {
    await hub.leave(agent)
    const { sessions, permissions } = hub.core
    const { commandId } = await sessions.prompt(actor, sessionId, { promptId: 'p1', text: 'do it' }, hub.key())
    const made = await sessions.create(actor, { agentId: agent.agentId, settings, prompt: 'go' }, hub.key())
    await permissions.decide(actor, 'req_1', { decision: 'allow', digest: 'digest-req_1' }, hub.key())
    return { prompt: commandId, create: made.commandId, newSession: made.sessionId }
  }
  const heard = () => agent.commands.map(({ body }) => body.kind).slice(1)
  const comeBack = async () => {
    await agent.connect([agent.report(sessionId)])
    await hub.core.tick()
  }

  it.each([
    ['was removed', () => person.remove()],
    ['was disabled', () => person.change({ banned: true })],
    ['may only read by now', () => person.change({ role: 'viewer' })],
    ['lost the machine', () => person.unshare()],
  ])(
    '[AUTH-1.2] [T96] does not go out when its author %s, and says why; the request waits for somebody else',
    async (_, take) => {
      const { prompt, create, newSession } = await sayAll()
      await take()
      await hub.core.tick()
      expect([hub.commandState(prompt), hub.commandState(create)]).toEqual(['expired', 'expired'])
      const { session } = await hub.core.sessions.snapshot(ana, sessionId)
      expect(session.commands.map(({ state, error }) => [state, error?.code])).toEqual([['expired', 'FORBIDDEN']])
      expect((await hub.core.sessions.snapshot(ana, newSession)).session.status).toMatchObject({
        status: 'ended',
        error: { message: expect.stringContaining('no longer allowed to do this') },
      })
      expect(session.requests).toMatchObject([{ ask: { requestId: 'req_1' }, decision: null, outcome: 'open' }])
      await hub.core.permissions.decide(ana, 'req_1', { decision: 'deny', digest: 'digest-req_1' }, hub.key())
      await comeBack()
      await agent.waiter.until(() => heard().length > 0)
      expect(heard()).toEqual(['permission.decide'])
      expect(agent.commands.at(-1)?.body).toMatchObject({ decision: 'deny' })
    },
  )

  it('[AUTH-1] is judged when it leaves, also where nobody looked before', async () => {
    const { prompt } = await sayAll()
    await person.remove()
    await comeBack()
    expect([hub.commandState(prompt), heard()]).toEqual(['expired', []])
  })

  it('[AUTH-1] of a program ends with its token; of a person it outlives the login', async () => {
    const { prompt } = await sayAll(person.asToken)
    const { commandId } = await hub.core.sessions.prompt(
      person.actor,
      sessionId,
      { promptId: 'p2', text: 'mine' },
      hub.key(),
    )
    await person.endToken()
    await person.signOut()
    await hub.core.tick()
    expect([hub.commandState(prompt), hub.commandState(commandId)]).toEqual(['expired', 'pending'])
    await comeBack()
    await agent.waiter.until(() => heard().length > 0)
    expect(agent.commands.at(-1)?.body).toMatchObject({ kind: 'prompt.send', text: 'mine' })
  })

  it('[AUTH-1] [CMD-4.5] that was sent and not answered is called back, and the answer of the machine decides', async () => {
    agent.answer = () => new Promise(() => {})
    const { permissions } = hub.core
    await permissions.decide(person.actor, 'req_1', { decision: 'allow', digest: 'digest-req_1' }, hub.key())
    await agent.waiter.until(() => heard().length === 1)
    await hub.leave(agent)
    await person.remove()
    const viewer = await hub.viewer()
    await viewer.ask('watch', { sessionId, afterSeq: 1, hubEpoch: hub.core.hub.hubEpoch() })
    await comeBack()
    await viewer.until(() => viewer.view.requests[0]?.decision === null)
    expect([agent.cancels.length, heard()]).toEqual([1, ['permission.decide']]) // no second time
  })
})
