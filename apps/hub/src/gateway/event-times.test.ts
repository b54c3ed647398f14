import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { envelope, type FakeAgent } from '../testing/fake-agent'
import { liveSession, requested, text } from '../testing/scenario'
import { ana, TestHub } from '../testing/test-hub'

const NOON = 1_800_000_000_000
const MINUTE = 60_000
const HOUR = 60 * MINUTE

describe('the time of an event', () => {
  let hub: TestHub
  let agent: FakeAgent
  let sessionId: string
  let now: number
  beforeEach(async () => {
    now = NOON
    hub = await TestHub.start({ now: () => now })
    agent = await hub.enrol()
    await agent.open()
    await agent.hello({ now: NOON + HOUR }) // its clock is an hour ahead
    await agent.ask('sessions', { sessions: [], last: true })
    sessionId = await liveSession(hub, agent)
    now += HOUR
  })
  afterEach(() => hub.stop())

  /** Minutes past noon by the agent's clock, set right. */
  const sent = (seq: number, minutes: number) => envelope(text(`${seq}`), seq, NOON + HOUR + minutes * MINUTE)
  const shown = async () => {
    const { events } = await hub.core.sessions.events(ana, sessionId, { after: 1, limit: 100 })
    return events.map(({ at, storedAt }) => [(at - NOON) / MINUTE, (storedAt - NOON) / MINUTE])
  }
  const heard = async () => {
    const viewer = await hub.viewer()
    await viewer.ask('watch', { sessionId, afterSeq: 1, hubEpoch: hub.core.hub.hubEpoch() })
    return viewer
  }

  it("[LOG-10.2] [LOG-10.3] is the agent's, minus what its clock is ahead, on pages and as it happens; both clocks are kept", async () => {
    const viewer = await heard()
    await agent.send(sessionId, [sent(2, 10), sent(3, 20)])
    await viewer.until(() => viewer.events.length === 2)
    expect(await shown()).toEqual([
      [10, 60],
      [20, 60],
    ])
    expect(viewer.events.map(({ at }) => (at - NOON) / MINUTE)).toEqual([10, 20])
    const rows = await hub.store.prisma.event.findMany({ where: { seq: { gt: 1 } }, orderBy: { seq: 'asc' } })
    expect(rows.map((row) => Number(row.agentAt))).toEqual([NOON + HOUR + 10 * MINUTE, NOON + HOUR + 20 * MINUTE])
  })

  it('[LOG-10.2] never decreases with its number, over batches and connections', async () => {
    await agent.send(sessionId, [sent(2, 30), sent(3, 12)])
    await agent.send(sessionId, [sent(4, 13), sent(5, 31)])
    expect((await shown()).map(([at]) => at)).toEqual([30, 30, 30, 31])
  })

  it('[LOG-10.2] is never later than the hub stored it, however wrong the clock has become', async () => {
    await agent.send(sessionId, [sent(2, 9_999)])
    now += 5 * MINUTE
    await agent.send(sessionId, [sent(3, 62)])
    expect(await shown()).toEqual([
      [60, 60],
      [62, 65],
    ])
  })

  it("[LOG-10.7] [LOG-10.8] [CMD-4] a request was asked, and ends, by the hub's clock", async () => {
    const at = { askedAt: NOON + HOUR + 50 * MINUTE, expiresAt: NOON + HOUR + 70 * MINUTE }
    await agent.send(sessionId, [envelope(requested('r1', at), 2)])
    const [request] = (await hub.core.inbox.get(ana)).requests
    expect(request?.ask).toMatchObject({ askedAt: NOON + 50 * MINUTE, expiresAt: NOON + 70 * MINUTE })
    await hub.leave(agent)
    await hub.core.permissions.decide(ana, 'r1', { decision: 'allow', digest: 'digest-r1' }, hub.key())
    const stateOf = () => hub.store.prisma.command.findFirst({ where: { kind: 'permission.decide' } })
    await hub.core.tick()
    expect((await stateOf())?.state).toBe('pending')
    now = NOON + 71 * MINUTE
    await hub.core.tick()
    expect((await stateOf())?.state).toBe('expired')
  })
})
