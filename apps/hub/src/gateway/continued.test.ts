import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { FakeAgent } from '../testing/fake-agent'
import { created, liveHub, settings, text } from '../testing/scenario'
import { ana, type TestHub } from '../testing/test-hub'

describe('[SES-4] a session never moves', () => {
  let hub: TestHub
  let agent: FakeAgent
  let other: FakeAgent
  let sessionId: string
  beforeEach(async () => {
    ;({ hub, agent, sessionId } = await liveHub())
    other = await hub.connectedAgent('other')
  })
  afterEach(() => hub.stop())

  it('[SES-4.1] continuing on another machine is a new session there, which names the one that it came from', async () => {
    const request = { agentId: other.agentId, settings, continuedFrom: sessionId }
    const made = await hub.core.sessions.create(ana, request, hub.key())
    expect(made.sessionId).not.toBe(sessionId)
    await other.waiter.until(() => other.commands.length > 0)
    expect(other.commands).toMatchObject([{ body: { kind: 'session.create', continuedFrom: sessionId } }])
    const log = { ...created(other.log(made.sessionId).logId), continuedFrom: sessionId }
    await other.emit(made.sessionId, log)
    const views = await Promise.all([sessionId, made.sessionId].map((id) => hub.core.sessions.snapshot(ana, id)))
    expect(views.map(({ session }) => session.agentId)).toEqual([agent.agentId, other.agentId])
    const row = await hub.store.reads.sessions.find(made.sessionId)
    expect(row?.projection).toMatchObject({ continuedFrom: sessionId })
  })

  it('[SES-4] [SES-1] no other machine takes it over by sending its events', async () => {
    const stolen = other.append(sessionId, text('mine now'))
    expect(await other.send(sessionId, stolen)).toMatchObject({ ok: false, error: { code: 'SESSION_NOT_YOURS' } })
    expect((await hub.core.sessions.snapshot(ana, sessionId)).session.agentId).toBe(agent.agentId)
  })

  it('[SES-4] what nobody knows cannot be continued', async () => {
    const request = { agentId: other.agentId, settings, continuedFrom: 'ses_none' }
    await expect(hub.core.sessions.create(ana, request, hub.key())).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
  })
})
