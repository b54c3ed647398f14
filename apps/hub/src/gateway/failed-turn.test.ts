import type { SessionEvent } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { FakeAgent } from '../testing/fake-agent'
import { liveHub } from '../testing/scenario'
import { ana, type TestHub } from '../testing/test-hub'

const started = (turnId: string): SessionEvent => ({ kind: 'turn_started', turnId, procId: 'p', trigger: 'prompt' })
const failed = (turnId: string): SessionEvent => ({
  kind: 'turn_completed',
  turnId,
  procId: 'p',
  reason: 'failed',
  error: { code: 'BACKEND_AUTH', message: 'The key was refused.' },
})

describe('a session whose last turn failed', () => {
  let hub: TestHub
  let agent: FakeAgent
  let sessionId: string
  beforeEach(async () => {
    ;({ hub, agent, sessionId } = await liveHub())
    const begun: SessionEvent = { kind: 'session_started', procId: 'p', backendSessionId: 'b', resumed: false }
    await agent.emit(sessionId, begun, started('t1'), failed('t1'))
  })
  afterEach(() => hub.stop())

  const listed = async () => (await hub.core.sessions.list(ana, { limit: 5 })).items[0]
  const inInbox = async () => (await hub.core.inbox.get(ana)).recent[0]
  const view = async () => (await hub.core.sessions.snapshot(ana, sessionId)).session

  it('[LOG-7] [SES-5.3] says so in the list, in the inbox and in its own view, and is idle as before', async () => {
    const failure = { sessionId, status: { status: 'idle' }, turnFailed: true }
    expect(await listed()).toMatchObject(failure)
    expect(await inInbox()).toMatchObject(failure)
    expect(await view()).toMatchObject(failure)
    expect((await hub.core.sessions.list(ana, { limit: 5, status: 'idle' })).items).toHaveLength(1)
  })

  it('[LOG-7] [SES-5.3] no longer says so once the next turn has begun', async () => {
    await agent.emit(sessionId, started('t2'))
    expect(await listed()).not.toHaveProperty('turnFailed')
    await agent.emit(sessionId, { kind: 'turn_completed', turnId: 't2', procId: 'p', reason: 'completed' })
    expect(await listed()).not.toHaveProperty('turnFailed')
    expect(await view()).not.toHaveProperty('turnFailed')
  })
})
