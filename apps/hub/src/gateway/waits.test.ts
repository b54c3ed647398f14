import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { FakeAgent } from '../testing/fake-agent'
import { liveHub } from '../testing/scenario'
import { ana, type TestHub } from '../testing/test-hub'

describe('a prompt that waits on its machine for a free place', () => {
  let hub: TestHub
  let agent: FakeAgent
  let sessionId: string
  beforeEach(async () => {
    ;({ hub, agent, sessionId } = await liveHub())
  })
  afterEach(() => hub.stop())

  const prompt = async () => {
    agent.answer = () => new Promise(() => {})
    const made = await hub.core.sessions.prompt(ana, sessionId, { promptId: 'p1', text: 'Go on.' }, hub.key())
    await agent.waiter.until(() => agent.commands.some(({ commandId }) => commandId === made.commandId))
    return made
  }
  const shown = async () =>
    (await hub.core.sessions.snapshot(ana, sessionId)).session.commands.find(({ kind }) => kind === 'prompt.send')

  it('says so, and no longer than it does', async () => {
    const { commandId } = await prompt()
    await agent.ask('waits', { running: 4, limit: 4, commands: [{ commandId, sessionId }] })
    expect(await shown()).toMatchObject({ commandId, state: 'sent', waits: { running: 4, limit: 4 } })
    await agent.ask('waits', { running: 3, limit: 4, commands: [] })
    expect(await shown()).not.toHaveProperty('waits')
  })

  it('is believed of its own machine alone, and only while that is connected', async () => {
    const { commandId } = await prompt()
    const waits = { running: 4, limit: 4, commands: [{ commandId, sessionId }] }
    const stranger = await hub.connectedAgent('other')
    await stranger.ask('waits', waits)
    expect(await shown()).not.toHaveProperty('waits')
    await agent.ask('waits', waits)
    expect(await shown()).toHaveProperty('waits')
    await hub.leave(agent)
    expect(await shown()).not.toHaveProperty('waits')
  })
})

describe('a session that somebody looks at', () => {
  it('[CMD-8.15] is told to its own machine, at its hello too, and no longer than somebody does', async () => {
    const { hub, agent, sessionId } = await liveHub()
    const stranger = await hub.connectedAgent('other')
    hub.core.attention.begins(sessionId, agent.agentId, 'ana')
    await agent.waiter.until(() => agent.attention.at(-1)?.sessionIds[0] === sessionId)
    await hub.leave(agent)
    agent.attention = []
    await agent.connect()
    await agent.waiter.until(() => agent.attention.length > 0)
    expect(agent.attention.at(-1)).toEqual({ sessionIds: [sessionId] })
    hub.core.attention.ends(sessionId, 'ana')
    await agent.waiter.until(() => agent.attention.at(-1)?.sessionIds.length === 0)
    expect(stranger.attention.flatMap(({ sessionIds }) => sessionIds)).toEqual([])
    await hub.stop()
  })
})
