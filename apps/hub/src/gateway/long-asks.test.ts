import { createHash } from 'node:crypto'
import type { CutValue, SessionEvent } from '@roundhouse/backend-types'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { FakeAgent } from '../testing/fake-agent'
import { ask, hostState, liveHub } from '../testing/scenario'
import { ana, type TestHub } from '../testing/test-hub'

const command = `${'echo fine; '.repeat(10_000)}rm -rf ~`
const input = JSON.stringify({ command })
const cut: CutValue = {
  cut: true,
  head: input.slice(0, 8_192),
  tail: input.slice(-4_096),
  bytes: input.length,
  sha256: createHash('sha256').update(input).digest('hex'),
}
const whole = ask('r1', { input: { command } })
const requested: SessionEvent = { kind: 'permission_requested', ask: { ...whole, input: cut, inputCut: true } }

let hub: TestHub
let agent: FakeAgent
let sessionId: string
beforeEach(async () => {
  ;({ hub, agent, sessionId } = await liveHub())
})
afterEach(() => hub.stop())

const account = () =>
  agent.state(hostState(sessionId, { atSeq: 2, status: { status: 'needs_you' }, requests: [whole] }))
const shown = async () => (await hub.core.inbox.get(ana)).requests[0]?.ask

it('[T41] [LINK-5] all of a command of 100 KB is there for whoever decides, whether its event came first or last', async () => {
  await agent.emit(sessionId, requested)
  expect(await shown()).toMatchObject({ inputCut: true })
  await account()
  expect(await shown()).toMatchObject({ input: { command } })
  expect(await shown()).not.toHaveProperty('inputCut')
})

it('[T41] [LINK-5] the event does not take away what the account has brought', async () => {
  await account()
  await agent.emit(sessionId, requested)
  expect(await shown()).toMatchObject({ input: { command } })
  expect(await shown()).not.toHaveProperty('inputCut')
})

it('[T41] the whole of another action is not taken for it', async () => {
  await agent.emit(sessionId, requested)
  const other = { ...whole, digest: 'digest-of-another' }
  await agent.state(hostState(sessionId, { atSeq: 2, status: { status: 'needs_you' }, requests: [other] }))
  expect(await shown()).toMatchObject({ inputCut: true, digest: 'digest-r1' })
})
