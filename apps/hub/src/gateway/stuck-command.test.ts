/** One command that the hub cannot end is nobody else's trouble. */
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { FakeAgent } from '../testing/fake-agent'
import { liveHub } from '../testing/scenario'
import { ana, type TestHub } from '../testing/test-hub'

const HOUR = 3_600_000

describe('[CMD-4] [STORE-6] a command whose end cannot be stored', () => {
  let hub: TestHub
  let agent: FakeAgent
  let sessionId: string
  let skipped = 0
  beforeEach(async () => {
    skipped = 0
    ;({ hub, agent, sessionId } = await liveHub({ now: () => Date.now() + skipped }))
  })
  afterEach(() => hub.stop())

  it('keeps no command of another machine from being tried again, nor from its own end', async () => {
    const other = await hub.connectedAgent('other')
    await hub.leave(other)
    const settings = { backend: 'scripted', workDir: '/code/demo' }
    const make = () => hub.core.sessions.create(ana, { agentId: other.agentId, settings }, hub.key())
    const [stuck, sound] = [await make(), await make()]
    const db = new Database(hub.store.file)
    const when = `WHEN OLD.commandId = '${stuck.commandId}'`
    db.exec(`CREATE TRIGGER stuck BEFORE UPDATE ON Command ${when} BEGIN SELECT RAISE(ABORT, 'damaged'); END`)
    db.close()
    skipped = 25 * HOUR
    let failures = 1
    agent.answer = () => {
      failures -= 1
      return { state: failures >= 0 ? ('nonsense' as 'accepted') : 'accepted' }
    }
    const { commandId } = await hub.core.sessions.prompt(ana, sessionId, { promptId: 'p1', text: 'go' }, hub.key())
    await hub.until(() => hub.warnings.some(({ message }) => message === 'core'))
    await hub.core.tick()
    await agent.waiter.until(() => agent.commands.filter((one) => one.commandId === commandId).length === 2)
    await hub.core.tick()
    expect([stuck, sound].map((one) => hub.commandState(one.commandId))).toEqual(['pending', 'expired'])
  })
})
