import type { SessionEvent } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { heard, message, type Program, person, program } from '../../../testing/bus-program'
import type { FakeAgent } from '../../../testing/fake-agent'
import { liveSession } from '../../../testing/scenario'
import { ana, TestHub } from '../../../testing/test-hub'

describe('what sessions say on the bus', () => {
  let hub: TestHub
  let agent: FakeAgent
  let sessionId: string
  let reader: Program
  beforeEach(async () => {
    hub = await TestHub.start()
    agent = await hub.connectedAgent()
    sessionId = await liveSession(hub, agent)
    await person(hub, 'fay', 'operator', [agent.agentId])
    reader = await program(hub, 'fay', 'orchestrator')
  })
  afterEach(() => hub.stop())

  const started = (procId: string): SessionEvent => ({
    kind: 'session_started',
    procId,
    backendSessionId: 'b1',
    resumed: false,
  })
  const said = (id: string, name: string, schema: string, data: Record<string, unknown>): SessionEvent => ({
    kind: 'published',
    id,
    topic: `worker.${sessionId}.${name}`,
    schema,
    data,
  })
  const move = (id: string, phase: string, prev: string) =>
    said(id, 'phase', 'worker-phase-v1', { phase, prev, transition_reason: 'x', phases_completed: [] })
  const words = (id: string, text: string) =>
    said(id, 'event', 'worker-event-v1', { kind: 'LOG', severity: 'info', message: text })
  const crashed: SessionEvent = {
    kind: 'process_exited',
    procId: 'p1',
    code: 1,
    signal: null,
    stderrTail: '',
    cause: 'crashed',
    error: { code: 'BACKEND_CRASHED', message: 'It fell over.' },
  }
  /** Without the session's own id in the topics. */
  const told = async (pattern = '**') => heard(await reader.read(pattern)).map((line) => line.replace(sessionId, 's'))

  it('[BUS-2] each published event gets one offset behind the ack, without a wait for the clock', async () => {
    await agent.emit(sessionId, started('p1'), words('a', 'one'), words('b', 'two'))
    await expect.poll(() => told('worker.**')).toEqual(['worker.s.boot', 'worker.s.event one', 'worker.s.event two'])
    const [boot, first] = await reader.read('worker.**')
    expect(boot?.data).toEqual({
      model: '',
      role: 'worker',
      mission_summary: expect.any(String),
      cwd: '/code/demo',
      terminal_id: sessionId,
      parent_peer_id: null,
      capabilities: [],
    })
    expect(first).toMatchObject({ id: 'a', from_peer: sessionId, terminal_id: sessionId })
    expect(first?.from_name).toMatch(/^session “.+”$/)
    const offsets = (await hub.store.bus.after(0, { rows: 100, chars: 1e9 })).rows.map(({ offset }) => offset)
    expect(offsets).toEqual(offsets.map((_, i) => i + 1))
  })

  it('[BUS-2] a batch that comes again, and a hub that starts again, say nothing twice', async () => {
    const events = agent.append(sessionId, started('p1'), words('a', 'one'), words('a', 'the same id'))
    await agent.send(sessionId, events)
    await agent.send(sessionId, events)
    await expect.poll(() => told('worker.**')).toEqual(['worker.s.boot', 'worker.s.event one'])
    await hub.store.prisma.follower.deleteMany({ where: { name: 'bus' } }) // as if it had never moved
    const again = await TestHub.start({ file: hub.store.file })
    try {
      await again.core.tick()
      await again.core.close()
      expect(await told('worker.**')).toEqual(['worker.s.boot', 'worker.s.event one'])
    } finally {
      await again.crash()
      await again.store.close()
    }
  })

  it('[BUS-6] an illegal phase, a foreign topic and an invalid message are told, and not delivered; one that is forced is', async () => {
    await agent.emit(
      sessionId,
      started('p1'),
      move('a', 'SPAWN', 'PLAN'),
      move('b', 'REFLECT', 'SPAWN'),
      { ...words('c', 'x'), topic: 'worker.other.event' } as SessionEvent,
      { ...words('d', 'x'), topic: 'system.peer.left' } as SessionEvent,
      said('e', 'event', 'worker-event-v1', { kind: 'LOG' }),
      said('f', 'boot', 'worker-boot-v1', {
        model: '',
        role: 'x',
        mission_summary: '',
        cwd: '',
        terminal_id: '',
      }),
      words('hub-boot-9', 'forged'),
      { ...move('h', 'CLEANUP', 'SPAWN'), forced: true } as SessionEvent,
      words('g', 'last'),
    )
    await expect.poll(() => told('worker.**')).toContain('worker.s.event last')
    const delivered = ['worker.s.boot', 'worker.s.phase SPAWN', 'worker.s.phase CLEANUP', 'worker.s.event last']
    expect(await told('worker.**')).toEqual(delivered)
    expect((await reader.read('system.**')).map(({ topic, data }) => `${topic} ${data.tool ?? ''}`)).toEqual([
      'system.peer.joined ',
      'system.gate.fired phase',
      'system.gate.fired publish',
      'system.malformed.received ',
      'system.malformed.received ',
      'system.gate.fired publish',
      'system.malformed.received ',
    ])
  })

  it('[BUS-8] a crash is a last will and a peer that left; the next program is a new life that begins in PLAN', async () => {
    await agent.emit(
      sessionId,
      started('p1'),
      move('a', 'SPAWN', 'PLAN'),
      crashed,
      started('p2'),
      move('b', 'SPAWN', 'PLAN'),
    )
    await expect.poll(async () => (await told()).length).toBe(8)
    expect(await told()).toEqual([
      'system.peer.joined',
      'worker.s.boot',
      'worker.s.phase SPAWN',
      'worker.s.event It fell over.',
      'system.peer.left crash',
      'system.peer.joined',
      'worker.s.boot',
      'worker.s.phase SPAWN',
    ])
    const [will] = await reader.read('worker.*.event')
    expect(will?.data).toEqual({ kind: 'ERROR', severity: 'fatal', message: 'It fell over.' })
  })

  it('[BUS-8.3] a session whose program crashed leaves its last will, and is not complete as well when it ends', async () => {
    await agent.emit(sessionId, started('p1'), crashed, { kind: 'session_ended', why: 'stopped' })
    await expect.poll(() => told('system.session.ended')).toHaveLength(1)
    expect(await told('worker.**')).toEqual(['worker.s.boot', 'worker.s.event It fell over.'])
    expect(await told('system.peer.left')).toEqual(['system.peer.left crash'])
  })

  it('[BUS-4.4] the heartbeat of a session is made from its events, and stands in the list of peers', async () => {
    const usage = { inputTokens: 100, outputTokens: 20 }
    const turn: SessionEvent = { kind: 'turn_completed', turnId: 't1', reason: 'completed', cost: 0.25, usage }
    await agent.emit(sessionId, started('p1'), move('a', 'SPAWN', 'PLAN'), turn)
    const heartbeat = async () => (await hub.core.bus.peers(reader.actor)).items[0]?.heartbeat
    await expect.poll(heartbeat).toEqual({
      current_phase: 'SPAWN',
      time_in_phase_ms: expect.any(Number),
      tokens_used: 120,
      cost_usd: 0.25,
    })
    expect(await told('worker.*.heartbeat')).toEqual([])
  })

  it('[BUS-6.5] [BUS-8] a session that ends is complete, once, with its phases and what it cost', async () => {
    const turn: SessionEvent = {
      kind: 'turn_completed',
      turnId: 't1',
      reason: 'completed',
      cost: 0.25,
      usage: { inputTokens: 100, outputTokens: 20 },
    }
    await agent.emit(sessionId, started('p1'), move('a', 'SPAWN', 'PLAN'), turn, {
      kind: 'session_ended',
      why: 'stopped',
    })
    await expect.poll(() => told('system.peer.left')).toEqual(['system.peer.left clean'])
    expect((await reader.read('worker.*.complete')).map(({ data }) => data)).toEqual([
      {
        result: 'stopped',
        summary: '',
        artifacts: [],
        phases_completed: ['PLAN', 'SPAWN'],
        total_tokens: 120,
        total_cost_usd: 0.25,
        duration_ms: expect.any(Number),
      },
    ])
  })

  it('[BUS-2] an erased session leaves offsets and nothing else, also of commands to it', async () => {
    await agent.emit(sessionId, started('p1'), words('a', 'a secret'))
    await expect.poll(() => told('worker.**')).toHaveLength(2)
    await reader.publish(message(`cmd.${sessionId}.inject_text`, 'cmd-inject-text-v1', { text: 'another secret' }))
    const newest = await hub.core.bus.newest()
    await hub.core.sessions.remove(ana, sessionId, hub.key())
    await hub.core.tick()
    await expect.poll(async () => (await reader.read()).map(({ topic }) => topic)).toEqual(['system.peer.joined'])
    expect(await hub.core.bus.newest()).toBe(newest)
    const rows = await hub.store.prisma.busMessage.findMany()
    expect([
      rows.length,
      JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? Number(value) : value)),
    ]).toEqual([newest, expect.not.stringContaining('secret')])
  })

  it('[BUS-2] sessions on two machines are on one bus, in one order', async () => {
    const second = await hub.connectedAgent('other')
    const other = await liveSession(hub, second)
    const { userId } = reader.actor
    const share = { userId, agentId: second.agentId, createdAt: new Date(), createdBy: 'x' }
    await hub.store.prisma.machineShare.create({ data: share })
    const both = await program(hub, userId, 'orchestrator')
    await agent.emit(sessionId, words('a', 'here'))
    await expect.poll(async () => heard(await both.read('worker.**'))).toHaveLength(1)
    await second.emit(other, { ...words('a', 'there'), topic: `worker.${other}.event` } as SessionEvent)
    await expect
      .poll(async () => heard(await both.read('worker.**')))
      .toEqual([`worker.${sessionId}.event here`, `worker.${other}.event there`])
    expect(heard(await reader.read('worker.**'))).toEqual([`worker.${sessionId}.event here`])
  })

  it('[BUS-7] whoever does not reach the machine sees nothing of its sessions', async () => {
    await person(hub, 'gus', 'operator')
    const stranger = await program(hub, 'gus', 'orchestrator')
    await agent.emit(sessionId, started('p1'), words('a', 'one'))
    await expect.poll(() => told('worker.**')).toHaveLength(2)
    expect(await stranger.read()).toEqual([])
  })

  it('[BUS-7.10] a damaged row keeps nobody from the others: its offset is missing, for a page and for a subscriber', async () => {
    await agent.emit(
      sessionId,
      started('p1'),
      words('a', 'before'),
      words('b', 'damaged'),
      words('c', 'time'),
      words('d', 'after'),
    )
    const texts = async () => (await reader.read('worker.*.event')).map(({ data }) => data.message)
    await expect.poll(texts).toEqual(['before', 'damaged', 'time', 'after'])
    const run = (sql: string) => hub.store.prisma.$executeRawUnsafe(sql)
    await run(`UPDATE BusMessage SET data = '{"kind":' WHERE messageId = 'b'`)
    await run(`UPDATE BusMessage SET storedAt = 9e15 WHERE messageId = 'c'`)
    expect(await texts()).toEqual(['before', 'after'])
    const { rows, next } = await hub.core.bus.rows(0)
    expect(rows.map(({ messageId }) => messageId)).not.toContain('b')
    expect(next).toBe(await hub.core.bus.newest())
  })
})
