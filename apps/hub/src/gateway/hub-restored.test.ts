import type { CommandAnswer } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { FakeAgent } from '../testing/fake-agent'
import { hostState, liveHub } from '../testing/scenario'
import { ana, type TestHub } from '../testing/test-hub'

describe('a hub that was put back by hand', () => {
  let hub: TestHub
  let agent: FakeAgent
  let other: FakeAgent
  let sessionId: string
  beforeEach(async () => {
    ;({ hub, agent, sessionId } = await liveHub())
    other = await hub.connectedAgent('other')
  })
  afterEach(() => hub.stop())

  const epoch = () => hub.core.hub.hubEpoch()
  const tooMuch = (who = agent, of = sessionId) =>
    who.ask('sessions', { sessions: [who.report(of, { last: 40, acked: 40, ackedEpoch: epoch() })], last: true })
  const isOver = (who: FakeAgent) => who.waiter.until(() => !who.socket.connected)
  const codes = (who: FakeAgent) => who.revoked.map(({ code }) => code)

  it('[REB-2.12] [REB-2.9] [REB-2.11] [F22] hears of acknowledgements that it does not hold: changes its epoch, and everybody begins anew', async () => {
    const before = epoch()
    const viewer = await hub.viewer()
    await viewer.ask('watch', { sessionId, afterSeq: 1, hubEpoch: before })
    const said = tooMuch().catch(() => null)
    await Promise.all([isOver(agent), isOver(other), viewer.until(() => !viewer.socket.connected)])
    await said
    expect([codes(agent), codes(other)]).toEqual([['HUB_RESTORED'], ['HUB_RESTORED']])
    expect(epoch()).not.toBe(before)
    const report = agent.report(sessionId, { last: 40, acked: 40, ackedEpoch: before })
    expect(await agent.connect([report])).toEqual([{ sessionId, verdict: 'resume', from: 2 }])
    expect(agent.welcome?.hubEpoch).toBe(epoch())
  })

  it('[REB-2.10] [CMD-2] asks again about every command that it believed unsent, unanswered or accepted', async () => {
    const prompt = (promptId: string) => hub.core.sessions.prompt(ana, sessionId, { promptId, text: 'go' }, hub.key())
    const { commandId: accepted } = await prompt('p1')
    await agent.waiter.until(() => agent.commands.length === 2)
    agent.answer = () => new Promise(() => {})
    const { commandId: sent } = await prompt('p2')
    const { commandId: pending } = await prompt('p3')
    await agent.waiter.until(() => agent.commands.length === 3)
    expect([accepted, sent, pending].map(hub.commandState)).toEqual(['accepted', 'sent', 'pending'])
    await Promise.allSettled([tooMuch(), isOver(agent)])
    expect([accepted, sent, pending].map(hub.commandState)).toEqual(['sent', 'sent', 'sent'])
    const heard = agent.commands.length
    agent.answer = (): CommandAnswer => ({ state: 'done' })
    await agent.connect([agent.report(sessionId)])
    await agent.waiter.until(() => agent.commands.length === heard + 3)
    const again = agent.commands.slice(heard).map(({ commandId }) => commandId)
    expect(again).toEqual([accepted, sent, pending])
  })

  it('[REB-2.13] is told by two at once, and changes its epoch once', async () => {
    const before = epoch()
    const epochs: string[] = []
    hub.core.doorbells.on('hubEpoch', ({ hubEpoch }) => epochs.push(hubEpoch))
    await Promise.allSettled([tooMuch(), tooMuch(other, 's_other'), isOver(agent), isOver(other)])
    expect([epochs, epochs[0] === before]).toEqual([[epoch()], false])
  })

  it('[REB-2.13] believes it once: who speaks so of the epoch that it began itself is shut out, and nobody else', async () => {
    await Promise.allSettled([tooMuch(), isOver(agent), isOver(other)])
    await Promise.all([agent.connect(), other.connect()])
    const now = epoch()
    await Promise.allSettled([tooMuch(), isOver(agent)])
    expect([codes(agent), codes(other), epoch()]).toEqual([['HUB_RESTORED', 'ACK_UNKNOWN'], ['HUB_RESTORED'], now])
    expect(other.socket.connected).toBe(true)
    expect(hub.warnings).toContainEqual(
      expect.objectContaining({ agentId: agent.agentId, message: expect.stringContaining('never gave') }),
    )
  })
})

describe("a host's account of its session", () => {
  let hub: TestHub
  let agent: FakeAgent
  let sessionId: string
  beforeEach(async () => {
    ;({ hub, agent, sessionId } = await liveHub())
  })
  afterEach(() => hub.stop())

  const say = (leaseToken: number, turnId: string) =>
    agent.state(hostState(sessionId, { leaseToken, turnId, atSeq: 9 }))
  const turn = async () => (await hub.core.sessions.snapshot(ana, sessionId)).session.turnId

  it('[LINK-5.22] [LINK-2] ends with a report, so that a log which was put back may count from an older lease', async () => {
    await say(7, 't7')
    await agent.ask('sessions', { sessions: [agent.report(sessionId)], last: true })
    expect(await turn()).toBe('t7') // said by this connection, before it reported
    await agent.ask('sessions', { sessions: [agent.report(sessionId)], last: true })
    expect(await turn()).toBeUndefined()
    await say(3, 't3')
    expect(await turn()).toBe('t3')
    agent.close()
    await agent.connect([agent.report(sessionId)])
    expect(await turn()).toBeUndefined()
  })

  it('[SES-1.2] does not end with the report of another agent', async () => {
    const stranger = await hub.connectedAgent('other')
    await say(7, 't7')
    for (let i = 0; i < 2; i += 1)
      await stranger.ask('sessions', { sessions: [stranger.report(sessionId)], last: true })
    expect(await turn()).toBe('t7')
  })
})
