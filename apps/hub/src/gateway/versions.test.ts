import type { SessionReport } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { liveSession, text } from '../testing/scenario'
import { ana, TestHub } from '../testing/test-hub'

let hub: TestHub
beforeEach(async () => {
  hub = await TestHub.start()
})
afterEach(() => hub.stop())

const shown = async (sessionId: string) =>
  (await hub.core.sessions.events(ana, sessionId, { after: 1, limit: 100 })).events

describe('an agent that offers', () => {
  it('[VER-1.1] [F33] versions of which one is known is served by that', async () => {
    const agent = await hub.enrol()
    await agent.open()
    expect(await agent.hello({ protocol: [1, 99] })).toEqual({ ok: true, protocol: 1 })
    await agent.ask('sessions', { sessions: [], last: true })
    const sessionId = await liveSession(hub, agent)
    await agent.emit(sessionId, text('from the future'))
    expect(await shown(sessionId)).toHaveLength(1)
  })

  it('[VER-1.2] [T6] [F33] only unknown versions is told what is needed, and can do nothing until it offers that', async () => {
    const before = await hub.connectedAgent()
    const sessionId = await liveSession(hub, before)
    const kept = before.append(sessionId, text('one'), text('two'))
    await hub.leave(before)
    const agent = hub.adopt(before)
    await agent.open()
    expect(await agent.hello({ protocol: [99, 100] })).toMatchObject({
      ok: false,
      error: {
        code: 'PROTOCOL_UNSUPPORTED',
        message: expect.stringContaining('protocol version 1,'),
        details: { supported: [1], offered: [99, 100] },
      },
    })
    const sessions: SessionReport[] = [agent.report(sessionId)]
    expect(await agent.ask('sessions', { sessions, last: true })).toMatchObject({ ok: false })
    expect(await agent.send(sessionId, kept)).toMatchObject({ ok: false })
    expect(await shown(sessionId)).toEqual([])
    agent.close()

    const updated = hub.adopt(agent)
    await updated.connect([updated.report(sessionId)])
    expect(await updated.send(sessionId, kept)).toMatchObject({ ok: true, acked: 3 })
    expect(await shown(sessionId)).toHaveLength(2)
  })
})
