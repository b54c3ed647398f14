import type { Hello } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { envelope, type FakeAgent } from '../testing/fake-agent'
import { liveSession, text } from '../testing/scenario'
import { ana, TestHub } from '../testing/test-hub'

const NOON = 1_800_000_000_000
const manifest = { manifestVersion: 1 as const, generatedAt: '2026-01-01T00:00:00Z', backends: [] }

describe('[FLOW-6] a machine that floods', () => {
  let hub: TestHub
  let agent: FakeAgent
  let now: number
  let bells: number
  beforeEach(async () => {
    now = NOON
    hub = await TestHub.start({ now: () => now })
    agent = await connected('box')
    bells = 0
  })
  afterEach(() => hub.stop())

  async function connected(name: string): Promise<FakeAgent> {
    const made = await hub.enrol(name)
    await made.open()
    await made.hello({ now })
    await made.ask('sessions', { sessions: [], last: true })
    return made
  }
  const countBells = () =>
    hub.core.doorbells.on('agent', () => {
      bells += 1
    })
  const audited = async (action: string) => hub.store.prisma.audit.count({ where: { action } })

  it.each([
    ['clock', (i: number) => ({ now: NOON + i * 10_000 })],
    ['waits', (i: number) => ({ running: 0, limit: 1, commands: [], ...(i % 2 ? { disk: 'full' } : {}) })],
    ['manifest', () => ({ manifest })],
  ])(
    '[FLOW-6.6] with `%s` is heard a few times, and all that it said before the last is let go',
    async (kind, body) => {
      countBells()
      const answers = await Promise.all([
        ...Array.from({ length: 999 }, (_, i) => agent.ask(kind, body(i))),
        agent.send(await liveSession(hub, agent), [envelope(text('2'), 2)]),
      ])
      expect(answers.every(({ ok }) => ok)).toBe(true)
      expect(bells).toBeLessThanOrEqual(25)
    },
  )

  it('is left with what its last word was', async () => {
    const waits = { running: 0, limit: 1, commands: [] }
    for (let i = 0; i < 499; i += 1) agent.socket.emit('waits', { ...waits, ...(i % 2 ? { disk: 'failing' } : {}) })
    expect(await agent.ask('waits', { ...waits, disk: 'full' })).toMatchObject({ ok: true })
    expect((await hub.core.agents.get(ana, agent.agentId)).disk).toBe('full')
  })

  it('[JOIN-4] [BAD-4] with `hello` is heard once, and a copy leaves one row in the audit log', async () => {
    const copy = agent.copyFor(hub.core, hub.url)
    copy.chain = 'of another machine'
    await copy.open()
    const shown = { chain: 'of another machine', now } as Partial<Hello>
    for (let i = 0; i < 200; i += 1) void copy.hello(shown).catch(() => {})
    await copy.waiter.until(() => copy.revoked.length > 0)
    expect(copy.revoked).toMatchObject([{ code: 'AGENT_CLONED' }])
    await hub.core.audit({ actorId: 'hub', actorName: 'hub', action: 'x', outcome: 'ok' }) // behind the others
    expect(await audited('agent.cloned')).toBe(1)
  })

  it('[FLOW-6.7] hears nothing of a second `hello` on a connection but that it was one too many', async () => {
    countBells()
    for (let i = 0; i < 50; i += 1) {
      expect(await agent.hello({ now: NOON + i * 10_000 })).toMatchObject({ error: { code: 'RATE_LIMITED' } })
    }
    expect(bells).toBe(0)
  })

  it('[FLOW-6.16] [BAD-1.2] with `events` of no shape is written and logged five times for a session, and closed', async () => {
    const sessionId = await liveSession(hub, agent)
    const told = () => hub.warnings.filter(({ message }) => message === 'system.malformed.received').length
    for (let i = 0; i < 20; i += 1) await agent.ask('events', { sessionId })
    expect(told()).toBe(5)
    for (let i = 0; i < 2_000; i += 1) agent.socket.emit('events', i % 2 ? { sessionId } : [i])
    await agent.waiter.until(() => agent.revoked.length > 0)
    expect(agent.revoked).toMatchObject([{ code: 'RATE_LIMITED' }])
    expect(told()).toBe(5)
  })

  it('[FLOW-6.16] with anything of no shape is closed', async () => {
    for (let i = 0; i < 2_000; i += 1) agent.socket.emit('state', i)
    await agent.waiter.until(() => agent.revoked.length > 0)
    expect(agent.revoked).toMatchObject([{ code: 'RATE_LIMITED' }])
  })

  it('[BAD-1.1] [LOG-10] that names a time beyond the year 9999 is refused', async () => {
    const again = hub.adopt(agent)
    await again.open()
    const policy = { roots: [], maxSandbox: 'x', summary: '', pausedAt: Number.MAX_SAFE_INTEGER }
    expect(await again.hello({ now, policy })).toMatchObject({ error: { code: 'MALFORMED_FRAME' } })
  })
})
