import type { SessionEvent } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { log, message, type Program, person, program } from '../../../testing/bus-program'
import { liveSession } from '../../../testing/scenario'
import { ana, TestHub } from '../../../testing/test-hub'
import { join, leave } from './peer-life'
import { FLAP_WINDOW_MS, TOLD_PER_WINDOW, ToldLimit, WINDOW_MS } from './told-limit'

const peerNamed = (peerId: string) =>
  join({ peerId, kind: 'token', role: 'worker', name: peerId, agentId: null, userId: 'eve' }, 1)

/** On the topic of another session. */
const bad = (id: string): SessionEvent => ({
  kind: 'published',
  id,
  topic: 'worker.other.event',
  schema: 'worker-event-v1',
  data: { kind: 'LOG', severity: 'info', message: 'forged' },
})

describe('[BUS-5.4] what the bus stores of refusals', () => {
  let hub: TestHub
  let now: number
  let boss: Program
  beforeEach(async () => {
    now = 1_795_000_000_000
    hub = await TestHub.start({ now: () => now })
    await person(hub, 'eve', 'admin')
    boss = await program(hub, 'eve', 'orchestrator')
  })
  afterEach(() => hub.stop())

  const told = async (topic: string) => (await boss.read(topic)).map(({ data }) => data)
  const pass = async (ms: number) => {
    now += ms
    await hub.core.tick()
  }

  it('is limited for each peer and minute; the rest is told as a count', async () => {
    const [worker, other] = [await program(hub, 'eve', 'worker'), await program(hub, 'eve', 'worker')]
    const bad = () => message(`worker.${worker.peerId}.event`, 'weather-v1', {})
    for (let i = 0; i < 3; i += 1) await worker.publish(...Array.from({ length: 50 }, bad))
    await other.publish(log(worker.peerId, 'forged'), 'text' as never)
    expect([(await told('system.malformed.received')).length, (await told('system.gate.fired')).length]).toEqual([
      TOLD_PER_WINDOW + 1,
      1,
    ])
    await pass(WINDOW_MS - 1)
    expect(await told('system.malformed.received')).toHaveLength(TOLD_PER_WINDOW + 1)
    await pass(2)
    await pass(WINDOW_MS + 1)
    const all = await told('system.malformed.received')
    expect([all.length, all.at(-1)]).toEqual([
      TOLD_PER_WINDOW + 2,
      { from: worker.peerId, topic: bad().topic, error: expect.stringMatching(/^SCHEMA_UNKNOWN/), count: 130 },
    ])
    await worker.publish(bad())
    expect(await told('system.malformed.received')).toHaveLength(TOLD_PER_WINDOW + 3)
  })

  it('is limited for a peer that floods many topics, with all that was dropped in the count', async () => {
    const worker = await program(hub, 'eve', 'worker')
    const flood = (batch: number) =>
      Array.from({ length: 100 }, (_, i) => ({
        ...log(worker.peerId, 'x'),
        topic: `worker.${worker.peerId}.t${batch}-${i}`,
      }))
    for (let batch = 0; batch < 50; batch += 1) await worker.publish(...flood(batch))
    expect((await told('system.throttled')).length).toBeLessThanOrEqual(TOLD_PER_WINDOW)
    await pass(WINDOW_MS + 1)
    const dropped = (await told('system.throttled')).reduce((sum, data) => sum + Number(data.dropped), 0)
    expect(dropped).toBe(4_500)
  })

  it('is limited for a session, and goes with it', async () => {
    const agent = await hub.connectedAgent()
    const sessionId = await liveSession(hub, agent)
    const flood = (of: string) => agent.emit(sessionId, ...Array.from({ length: 60 }, (_, i) => bad(`${of}${i}`)))
    await flood('a')
    await expect.poll(async () => (await told('system.gate.fired')).length).toBe(TOLD_PER_WINDOW)
    await pass(WINDOW_MS + 1)
    expect((await told('system.gate.fired')).at(-1)).toMatchObject({ peerId: sessionId, count: 60 - TOLD_PER_WINDOW })
    await flood('b')
    await expect.poll(async () => (await told('system.gate.fired')).length).toBe(2 * TOLD_PER_WINDOW + 1)
    await hub.core.sessions.remove(ana, sessionId, hub.key())
    await expect.poll(async () => [await hub.core.tick(), (await told('system.gate.fired')).length][1]).toBe(0)
    await pass(WINDOW_MS + 1)
    expect(await told('system.gate.fired')).toEqual([])
  })

  it('counts once what a session said, also where its commit fails and is tried again', async () => {
    const agent = await hub.connectedAgent()
    const sessionId = await liveSession(hub, agent)
    const { write } = hub.store.transactions
    let failures = 1
    hub.store.transactions.write = (work) =>
      write(async (tx) => {
        const done = await work(tx)
        if ((await told('system.gate.fired')).length === 0 && failures-- > 0) throw new Error('no space')
        return done
      })
    await agent.emit(sessionId, ...Array.from({ length: 30 }, (_, i) => bad(`a${i}`)))
    await expect
      .poll(async () => [await hub.core.tick(), (await told('system.gate.fired')).length][1])
      .toBe(TOLD_PER_WINDOW)
    expect(failures).toBeLessThan(1)
    await pass(WINDOW_MS + 1)
    expect((await told('system.gate.fired')).at(-1)).toMatchObject({ peerId: sessionId, count: 10 })
  })
})

describe('the limit of what is told', () => {
  const rowsOf = (count: number) => Array.from({ length: count }, (_, i) => peerNamed(`p${i}`).rows).flat()

  it('counts nothing before it is stored, and tells a count again until that is stored', () => {
    let now = 0
    const limit = new ToldLimit(() => now)
    const flap = Array.from({ length: TOLD_PER_WINDOW + 5 }, () => peerNamed('p').rows).flat()
    expect(limit.draft().limit(flap)).toHaveLength(TOLD_PER_WINDOW)
    const draft = limit.draft()
    expect(draft.limit(flap)).toHaveLength(TOLD_PER_WINDOW)
    draft.count()
    draft.count()
    expect(limit.draft().limit(flap)).toEqual([])
    now = FLAP_WINDOW_MS
    expect(limit.due(1).rows).toHaveLength(1)
    const due = limit.due(1)
    expect(due.rows).toMatchObject([{ data: { count: 5 } }])
    due.told()
    expect(limit.due(1).rows).toEqual([])
  })

  it('[BUS-8.10] tells of each peer that comes, however many there are', () => {
    const limit = new ToldLimit(() => 0)
    for (let round = 0; round < 3; round += 1) {
      const draft = limit.draft()
      expect(draft.limit(rowsOf(4_000).map((row) => ({ ...row, subject: `${row.subject} ${round}` })))).toHaveLength(
        4_000,
      )
      draft.count()
    }
  })

  it('[BUS-8.10] tells of a peer that flaps as one message, which says what is true at the end', () => {
    let now = 0
    const limit = new ToldLimit(() => now)
    const { peer } = peerNamed('p')
    const stored = []
    for (let i = 0; i < 500; i += 1) {
      const draft = limit.draft()
      stored.push(...draft.limit([...peerNamed('p').rows, ...leave(peer, 'crash', 1).rows]))
      draft.count()
    }
    expect(stored).toHaveLength(TOLD_PER_WINDOW)
    now = FLAP_WINDOW_MS
    expect(limit.due(1).rows).toMatchObject([
      { topic: 'system.peer.left', data: { peerId: 'p', reason: 'crash', count: 1_000 - TOLD_PER_WINDOW } },
    ])
  })
})
