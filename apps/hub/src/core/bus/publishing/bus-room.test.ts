import type { SessionEvent } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { log, message, type Program, person, program } from '../../../testing/bus-program'
import type { FakeAgent } from '../../../testing/fake-agent'
import { liveSession } from '../../../testing/scenario'
import { TestHub } from '../../../testing/test-hub'

const DAY_MS = 24 * 3_600_000
/** For each program, an eighth: 131,072 bytes. */
const BYTES = 1_048_576
const LONG = 'x'.repeat(30_000)

describe('[BUS-5.5] the room that messages take', () => {
  let hub: TestHub
  let now: number
  let worker: Program
  let boss: Program
  beforeEach(async () => {
    now = 1_795_000_000_000
    hub = await TestHub.start({ now: () => now, busKeeps: { bytes: BYTES, days: 2 } })
    await person(hub, 'cleo', 'admin')
    worker = await program(hub, 'cleo', 'worker')
    boss = await program(hub, 'cleo', 'orchestrator')
  })
  afterEach(() => hub.stop())

  const codes = async (answer: ReturnType<Program['publish']>) =>
    (await answer).results.map((result) => (result.ok ? 'ok' : result.error.code))
  const long = ({ peerId }: Program) => {
    const said = { kind: 'LOG', severity: 'info', message: 'See the note.', note: LONG }
    return message(`worker.${peerId}.event`, 'worker-event-v1', said)
  }
  const own = async (peerId: string) => (await hub.store.bus.volume(peerId, 'cleo')).own
  const fill = (of: Program) => of.publish(long(of), long(of), long(of), long(of))

  it('is that of one peer first: within a batch and behind it, what is too much is refused, and another one publishes', async () => {
    expect(await codes(worker.publish(...Array.from({ length: 5 }, () => long(worker))))).toEqual([
      ...Array(4).fill('ok'),
      'BUS_FULL',
    ])
    expect(await codes(worker.publish(log(worker.peerId, 'short'), long(worker)))).toEqual(['ok', 'BUS_FULL'])
    expect(await codes(boss.publish(log(boss.peerId, 'me, too')))).toEqual(['ok'])
    const gates = (await boss.read('system.gate.fired')).map(({ data }) => data.reason)
    expect(gates[0]).toContain('BUS_FULL')
  })

  it('leaves commands an eighth more, so that what runs can be stopped', async () => {
    const command = () => message(`cmd.${worker.peerId}.abort`, 'cmd-abort-v1', { reason: 'Stop.' })
    await worker.publish(log(worker.peerId, 'here'))
    await codes(boss.publish(command()))
    const task = (length: number) =>
      message('task.t1.assign', 'task-assign-v1', { peer_id: worker.peerId, words: 'x'.repeat(length) })
    for (const length of [30_000, 3_000, 1])
      while ((await codes(boss.publish(task(length))))[0] === 'ok') expect(length).toBeGreaterThan(0)
    expect(await codes(boss.publish(log(boss.peerId, 'a word')))).toEqual(['BUS_FULL'])
    expect(await codes(boss.publish(command()))).toEqual(['ok'])
  })

  it('is counted as it is: a repeat takes none, a heartbeat that is replaced gives its back, and so does what is old', async () => {
    const said = log(worker.peerId, 'once')
    await worker.publish(said)
    const before = await own(worker.peerId)
    await worker.publish(said)
    expect(await own(worker.peerId)).toBe(before)
    const beat = () => message(`worker.${worker.peerId}.heartbeat`, 'worker-heartbeat-v1', { ...heartbeat, note: LONG })
    await worker.publish(beat())
    const one = await own(worker.peerId)
    await worker.publish(beat())
    expect((await own(worker.peerId)) - one).toBeLessThan(1_000)
    await fill(worker)
    expect(await codes(worker.publish(long(worker)))).toEqual(['BUS_FULL'])
    now += 2 * DAY_MS + 1
    await hub.core.tick()
    expect(await codes(worker.publish(long(worker)))).toEqual(['ok'])
    const { all, person: ofCleo } = await hub.store.bus.volume(worker.peerId, 'cleo')
    const rows = await hub.store.prisma.$queryRawUnsafe<{ bytes: bigint }[]>(
      'SELECT sum(500 + length(CAST(data AS BLOB))) AS bytes FROM BusMessage',
    )
    expect(all).toBe(Number(rows[0]?.bytes))
    const ofHub = await hub.store.prisma.$queryRawUnsafe<{ bytes: bigint }[]>(
      "SELECT sum(500 + length(CAST(data AS BLOB))) AS bytes FROM BusMessage WHERE fromPeer = 'hub'",
    )
    expect(ofCleo).toBe(all - Number(ofHub[0]?.bytes))
  })

  /** What each of so many programs of a person is answered that says as much as it may. */
  const filled = async (userId: string, count: number) => {
    const answers = []
    for (let i = 0; i < count; i += 1) answers.push(await codes(fill(await program(hub, userId, 'worker'))))
    return answers
  }

  it('is that of a person, too: with a fifth program their half is full, their commands pass, and another person publishes', async () => {
    await person(hub, 'dan', 'operator')
    const answers = await filled('cleo', 5)
    expect(answers.slice(0, 4).flat()).not.toContain('BUS_FULL')
    expect(answers[4]).toContain('BUS_FULL')
    await worker.publish(log(worker.peerId, 'here'))
    const command = message(`cmd.${boss.peerId}.abort`, 'cmd-abort-v1', { reason: 'Stop.' })
    await codes(boss.publish(log(boss.peerId, 'here')))
    expect(await codes(boss.publish(command))).toEqual(['ok'])
    expect(await filled('dan', 1)).toEqual([Array(4).fill('ok')])
  })

  it('is that of all, too: with the ninth program of three people it is full', async () => {
    const people = ['dan', 'eve', 'fay']
    for (const name of people) await person(hub, name, 'operator')
    const answers = []
    for (const name of people) answers.push(...(await filled(name, 3)))
    expect(answers.slice(0, 8).flat()).not.toContain('BUS_FULL')
    expect(answers.at(-1)).toContain('BUS_FULL')
  })
})

describe('what sessions say, which nobody refuses', () => {
  let hub: TestHub
  let agent: FakeAgent
  let worker: Program
  let boss: Program
  beforeEach(async () => {
    hub = await TestHub.start({ busKeeps: { bytes: BYTES } })
    agent = await hub.connectedAgent()
    await person(hub, 'cleo', 'admin')
    worker = await program(hub, 'cleo', 'worker')
    boss = await program(hub, 'cleo', 'orchestrator')
    await worker.publish(log(worker.peerId, 'here'))
  })
  afterEach(() => hub.stop())

  /** So many messages of 30 KB, and one that ends them; resolves when they are on the bus. */
  const say = async (sessionId: string, count: number) => {
    const topic = `worker.${sessionId}.event`
    const said = (id: string, note: string): SessionEvent => {
      const data = { kind: 'LOG', severity: 'info', message: id, note }
      return { kind: 'published', id: `${sessionId}-${id}`, topic, schema: 'worker-event-v1', data }
    }
    for (let i = 0; i < count; i += 10)
      await agent.emit(sessionId, ...Array.from({ length: Math.min(10, count - i) }, (_, n) => said(`m${i + n}`, LONG)))
    await agent.emit(sessionId, said('last', ''))
    await expect.poll(() => ofSession(sessionId), { timeout: 15_000 }).toContain('last')
  }
  const ofSession = async (sessionId: string) =>
    (await boss.read(`worker.${sessionId}.event`)).map(({ data }) => data.message)
  const codes = async (answer: ReturnType<Program['publish']>) =>
    (await answer).results.map((result) => (result.ok ? 'ok' : result.error.code))

  it('[BUS-5.5] fills the bus for those who publish, and refuses no command', async () => {
    const sessionId = await liveSession(hub, agent)
    await say(sessionId, 40)
    expect(await codes(worker.publish(log(worker.peerId, 'a word')))).toEqual(['BUS_FULL'])
    const stop = (peerId: string) => message(`cmd.${peerId}.abort`, 'cmd-abort-v1', { reason: 'Stop.' })
    expect(await codes(boss.publish(stop(worker.peerId), stop(sessionId)))).toEqual(['ok', 'ok'])
  })

  it('[BUS-5.8] takes at most half: of the session that takes most the oldest go, and the others keep theirs', async () => {
    const [quiet, loud] = [await liveSession(hub, agent), await liveSession(hub, agent)]
    await say(quiet, 4)
    await say(loud, 40)
    expect(await codes(worker.publish(log(worker.peerId, 'a word')))).toEqual(['BUS_FULL'])
    await hub.core.tick()
    const kept = await ofSession(loud)
    expect(kept).toEqual([...Array.from({ length: 40 }, (_, i) => `m${i}`), 'last'].slice(-kept.length))
    // 17 of 30 KB fit into half, and four of them are of the other one. Beside 13 there is the short last one.
    expect(kept).toHaveLength(14)
    expect(await ofSession(quiet)).toEqual(['m0', 'm1', 'm2', 'm3', 'last'])
    expect(await codes(worker.publish(log(worker.peerId, 'a word')))).toEqual(['ok'])
    await hub.core.tick()
    expect(await ofSession(loud)).toEqual(kept)
  })
})

const heartbeat = { phase: 'PLAN', uptime_s: 1, tokens_used: 1, cost_usd: 0 }
