import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { envelope, type FakeAgent } from '../testing/fake-agent'
import { liveSession, requested, text } from '../testing/scenario'
import { ana, TestHub } from '../testing/test-hub'

const NOON = 1_800_000_000_000
const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

let hub: TestHub
let agent: FakeAgent
let sessionId: string
let now: number
beforeEach(async () => {
  now = NOON
  hub = await TestHub.start({ now: () => now })
  agent = await hub.enrol()
  await agent.open()
  await agent.hello({ now: NOON })
  await agent.ask('sessions', { sessions: [], last: true })
  sessionId = await liveSession(hub, agent)
})
afterEach(() => hub.stop())

const shown = async () => (await hub.core.sessions.events(ana, sessionId, { after: 1, limit: 100 })).events
const words = async () => (await shown()).map(({ body }) => (JSON.parse(body) as { text: string }).text)
const prompt = async (promptId: string) =>
  (await hub.core.sessions.prompt(ana, sessionId, { promptId, text: 'do it' }, hub.key())).commandId

describe('a clock that jumps', () => {
  it.each([
    ['forward', DAY],
    ['back', -DAY],
  ])(
    '[F18] [LOG-10.1] [LOG-10.2] of the machine, %s by a day: the order is that of the numbers, and no time goes back',
    async (_how, jump) => {
      const at = (seq: number, shift: number) => envelope(text(`${seq}`), seq, NOON + seq * 1_000 + shift)
      now += MINUTE
      await agent.send(sessionId, [at(2, 0), at(3, 0), at(4, jump), at(5, jump)])
      await agent.send(sessionId, [at(6, jump), at(7, 0), at(8, 0)])
      expect(await words()).toEqual(['2', '3', '4', '5', '6', '7', '8'])
      const times = (await shown()).map((event) => event.at)
      expect(times).toEqual([...times].sort((a, b) => a - b))
      expect(Math.max(...times)).toBeLessThanOrEqual(now)
    },
  )

  it.each([
    ['forward', DAY],
    ['back', -DAY],
  ])('[F18] [CMD-4] of the machine, %s by a day: no command ends by that', async (_how, jump) => {
    await hub.leave(agent)
    const commandId = await prompt('p1')
    await agent.open()
    await agent.hello({ now: NOON + jump })
    await agent.ask('sessions', { sessions: [agent.report(sessionId)], last: true })
    await agent.waiter.until(() => agent.commands.some((command) => command.commandId === commandId))
    await hub.core.tick()
    expect(hub.commandState(commandId)).not.toBe('expired')
  })

  it.each([
    ['forward', DAY, 'expired'],
    ['back', -DAY, 'pending'],
  ])(
    '[F18] [CMD-4.1] of the hub, %s by a day: it alone decides what becomes of one that it never sent',
    async (_how, jump, state) => {
      await hub.leave(agent)
      const commandId = await prompt('p1')
      now += jump
      await hub.core.tick()
      expect(hub.commandState(commandId)).toBe(state)
    },
  )

  it.each([
    ['forward', DAY],
    ['back', -DAY],
  ])(
    '[F18] of the hub, %s by a day: events come in as before, an accepted command stays, a request without limit waits',
    async (_how, jump) => {
      const commandId = await prompt('p1')
      await agent.waiter.until(() => agent.commands.some((command) => command.commandId === commandId))
      await agent.emit(sessionId, text('2'), requested('r1'))
      now += jump
      await agent.emit(sessionId, text('4'))
      await hub.core.tick()
      expect((await shown()).map(({ seq }) => seq)).toEqual([2, 3, 4])
      const times = (await shown()).map((event) => event.at)
      expect(times).toEqual([...times].sort((a, b) => a - b))
      expect(hub.commandState(commandId)).toBe('accepted')
      expect((await hub.core.inbox.get(ana)).requests.map(({ ask }) => ask.requestId)).toEqual(['r1'])
    },
  )

  it('[F18] [IMG-1] [CMD-1] of the hub, forward by two days: no image goes that somebody just uploaded, and no answer', async () => {
    let elapsed = 0
    const other = await TestHub.start({ now: () => now, elapsed: () => elapsed })
    const { prisma, images } = other.store
    await images.keep('img_new', new Uint8Array(8), now)
    const answer = { scope: 'new', key: 'k', bodyHash: 'h', answer: '{}', createdAt: new Date(now) }
    await prisma.idempotency.create({ data: answer })
    const left = async () => [await prisma.imagePart.count(), await prisma.idempotency.count({ where: { key: 'k' } })]
    now += 2 * DAY
    elapsed += 60 * MINUTE
    await other.core.tick()
    expect(await left()).toEqual([1, 1])
    elapsed += DAY
    await other.core.tick()
    expect(await left()).toEqual([0, 0])
    await other.stop()
  })

  it('[F18] [AUD-2] of the hub, back by a day: what comes again and again comes as before', async () => {
    let elapsed = 0
    const other = await TestHub.start({ now: () => now, elapsed: () => elapsed })
    const machine = await other.connectedAgent()
    await machine.waiter.until(() => machine.auditHeads.length === 1)
    const answer = { scope: 'old', key: 'k', bodyHash: 'h', answer: '{}', createdAt: new Date(0) }
    await other.store.prisma.idempotency.create({ data: answer })
    now -= DAY
    await other.core.audit({ actorId: 'hub', actorName: 'hub', action: 'deed', outcome: 'ok' })
    elapsed += 60 * MINUTE
    await other.core.tick()
    await machine.waiter.until(() => machine.auditHeads.length === 2)
    expect(await other.store.prisma.idempotency.count({ where: { scope: 'old' } })).toBe(0)
    await other.stop()
  })
})
