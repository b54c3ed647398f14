/** The machine's word about the end of a command was lost: the hub asks for it. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { FakeAgent } from '../testing/fake-agent'
import { liveHub } from '../testing/scenario'
import { ana, type TestHub } from '../testing/test-hub'

describe('[CMD-3.2] an accepted command of which nothing more is heard', () => {
  let hub: TestHub
  let agent: FakeAgent
  let sessionId: string
  let skipped = 0
  beforeEach(async () => {
    skipped = 0
    ;({ hub, agent, sessionId } = await liveHub({
      now: () => Date.now() + skipped,
      elapsed: () => performance.now() + skipped,
    }))
  })
  afterEach(() => hub.stop())

  const isNow = (commandId: string, state: string) => vi.waitFor(() => expect(hub.commandState(commandId)).toBe(state))
  const sentTo = (commandId: string) => agent.commands.filter((one) => one.commandId === commandId).length
  async function accepted(kind: 'endProcess' | 'prompt'): Promise<string> {
    const { commandId } =
      kind === 'prompt'
        ? await hub.core.sessions.prompt(ana, sessionId, { promptId: 'p1', text: 'go' }, hub.key())
        : await hub.core.sessions.endProcess(ana, sessionId, hub.key())
    await isNow(commandId, 'accepted')
    return commandId
  }

  it('[CMD-3.4] is asked for again, and ends as the machine says', async () => {
    const commandId = await accepted('endProcess')
    await hub.core.tick()
    expect(sentTo(commandId)).toBe(1)
    skipped = 31_000
    agent.answer = () => ({ state: 'outcome_unknown' })
    await hub.core.tick()
    await isNow(commandId, 'outcome_unknown')
    expect(sentTo(commandId)).toBe(2)
  })

  it('[CMD-3.3] is asked for ever more rarely while the machine still has it in hand, at last once a minute', async () => {
    const commandId = await accepted('endProcess')
    for (const [at, times] of [
      [31_000, 2],
      [34_000, 2],
      [37_000, 3],
      [48_000, 4],
      [60_000, 4],
      [69_000, 5],
      [110_000, 6],
      [150_000, 6],
      [171_000, 7],
    ] as const) {
      skipped = at
      await hub.core.tick()
      await vi.waitFor(() => expect(sentTo(commandId)).toBe(times))
    }
    expect(hub.commandState(commandId)).toBe('accepted')
  })

  it('is left to its events where they tell its end', async () => {
    const commandId = await accepted('prompt')
    const other = await accepted('endProcess')
    skipped = 31_000
    await hub.core.tick()
    await vi.waitFor(() => expect(sentTo(other)).toBe(2))
    expect(sentTo(commandId)).toBe(1)
  })
})
