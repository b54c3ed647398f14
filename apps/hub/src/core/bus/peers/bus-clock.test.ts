import { setImmediate as nextTurn } from 'node:timers/promises'
import type { SessionEvent } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import { log, message, person, program } from '../../../testing/bus-program'
import { liveHub } from '../../../testing/scenario'
import { SlowReads } from '../../../testing/slow-reads'
import { ana, TestHub } from '../../../testing/test-hub'
import type { BusClock } from './bus-clock'

const DAY_MS = 24 * 3_600_000

describe('[BUS-2.10] the removal of old messages', () => {
  it('keeps up with any rate: all that is old is gone at the next minute, in steps, and what is newer stays', async () => {
    let now = 1_795_000_000_000
    const hub = await TestHub.start({ now: () => now })
    await person(hub, 'eve', 'admin')
    const worker = await program(hub, 'eve', 'worker')
    await worker.publish(log(worker.peerId, 'first'))
    const [row] = (await hub.store.bus.after(1, { rows: 1, chars: 1e9 })).rows
    if (!row) throw new Error('nothing is stored')
    const many = Array.from({ length: 3_000 }, (_, i) => ({ ...row, messageId: `old-${i}` }))
    const newer = { ...row, messageId: 'newer', storedAt: now + 1, data: { ...row.data, message: 'newer' } }
    await hub.store.bus.append({ rows: [...many, newer] })
    await worker.publish(log(worker.peerId, 'newest'))
    now += 30 * DAY_MS + 1
    await hub.core.tick()
    const { rows } = await hub.store.bus.after(0, { rows: 9, chars: 1e9 })
    expect(rows.map(({ data }) => data.message).filter(Boolean)).toEqual(['newer', 'newest'])
    await hub.stop()
  })
})

describe('[BUS-8.13] a clock of the hub that is set', () => {
  async function afterJump(jumpMs: number, silentMs: number) {
    let now = 1_795_000_000_000
    let elapsed = 0
    const hub = await TestHub.start({ now: () => now, elapsed: () => elapsed })
    const pass = async (ms: number) => {
      now += ms
      elapsed += ms
      await hub.core.tick()
    }
    await person(hub, 'eve', 'admin')
    const worker = await program(hub, 'eve', 'worker')
    await worker.publish(log(worker.peerId, 'first'))
    await pass(1_000)
    now += jumpMs
    await pass(1_000)
    await pass(silentMs)
    const peer = (await hub.store.bus.peers(9)).peers.find(({ peerId }) => peerId === worker.peerId)
    const { rows } = await hub.store.bus.after(0, { rows: 99, chars: 1e9 })
    await hub.stop()
    return { state: peer?.state, isTold: rows.some(({ schema }) => schema === 'system-peer-stale-v1') }
  }

  it.each([3_600_000, -3_600_000])('by %i ms makes nobody stale who was heard a moment ago', async (jumpMs) => {
    expect(await afterJump(jumpMs, 20_000)).toEqual({ state: 'here', isTold: false })
  })

  it.each([3_600_000, -3_600_000])('by %i ms keeps nobody who is silent for half a minute', async (jumpMs) => {
    expect(await afterJump(jumpMs, 31_000)).toEqual({ state: 'stale', isTold: true })
  })
})

describe('[BUS-8.5] a silent program that speaks at the moment when it leaves', () => {
  it('has left, and what it says begins a new life', async () => {
    let now = 1_795_000_000_000
    const hub = await TestHub.start({ now: () => now })
    await person(hub, 'eve', 'admin')
    const worker = await program(hub, 'eve', 'worker')
    await worker.publish(log(worker.peerId, 'first'))
    await hub.core.tick()
    now += 31_000
    await hub.core.tick()
    now += 300_000
    const { bus } = hub.store
    const { append } = bus
    let publishing: Promise<unknown> | undefined
    bus.append = (...write) => {
      bus.append = append
      publishing = worker.publish(log(worker.peerId, 'back'))
      return append(...write)
    }
    await hub.core.tick()
    await publishing
    const { rows } = await bus.after(0, { rows: 99, chars: 1e9 })
    const said = rows.map(({ schema, data }) => data.message ?? schema)
    expect(said.slice(-3)).toEqual(['system-peer-left-v1', 'system-peer-joined-v1', 'back'])
    const peer = (await bus.peers(9)).peers.find(({ peerId }) => peerId === worker.peerId)
    expect(peer?.state).toBe('here')
    await hub.stop()
  })
})

const started = (procId: string): SessionEvent => ({
  kind: 'session_started',
  procId,
  backendSessionId: 'b1',
  resumed: false,
})
/** Schemas, and what peers left for. */
const toldOn = async ({ store }: TestHub) =>
  (await store.bus.after(0, { rows: 99, chars: 1e9 })).rows.map(({ schema, data }) =>
    [schema, data.reason].filter(Boolean).join(' '),
  )
/** Whoever does not wait for the one that is held is done after these. */
const otherTurns = async (isDone: () => Promise<boolean> | boolean = () => false) => {
  for (let turn = 0; turn < 300 && !(await isDone()); turn += 1) await nextTurn()
}

describe('[BUS-8.14] a sign of life while the hub notes that a peer is silent', () => {
  it('is the last word: a session whose program crashes then has left, once', async () => {
    let now = 1_795_000_000_000
    const { hub, agent, sessionId } = await liveHub({ now: () => now })
    await agent.emit(sessionId, started('p1'))
    await expect.poll(() => toldOn(hub)).toContain('worker-boot-v1')
    await hub.core.tick()
    await hub.leave(agent)
    now += 31_000
    const { bus } = hub.store
    const { append } = bus
    const crash = { code: 1, signal: null, stderrTail: '', cause: 'crashed' } as const
    const hasLeft = async () => (await toldOn(hub)).includes('system-peer-left-v1 crash')
    bus.append = async (...write) => {
      bus.append = append
      await agent.connect([agent.report(sessionId)])
      await agent.emit(sessionId, { kind: 'process_exited', procId: 'p1', ...crash })
      await otherTurns(hasLeft)
      return append(...write)
    }
    await hub.core.tick()
    await expect.poll(hasLeft).toBe(true)
    const peer = async () => (await hub.core.bus.peers(ana)).items[0]
    await expect.poll(async () => (await peer())?.state).toBe('left')
    await agent.emit(sessionId, started('p2'))
    await expect.poll(async () => (await toldOn(hub)).filter((one) => one === 'worker-boot-v1').length).toBe(2)
    expect((await toldOn(hub)).filter((one) => one.startsWith('system-peer-left'))).toEqual([
      'system-peer-left-v1 crash',
    ])
    await hub.stop()
  })

  it('is the last word: a program that is seen then is here', async () => {
    let now = 1_795_000_000_000
    const hub = await TestHub.start({ now: () => now })
    await person(hub, 'eve', 'admin')
    const worker = await program(hub, 'eve', 'worker')
    const beat = { current_phase: 'PLAN', time_in_phase_ms: 1, tokens_used: 1, cost_usd: 0 }
    await worker.publish(message(`worker.${worker.peerId}.heartbeat`, 'worker-heartbeat-v1', beat))
    await hub.core.tick()
    now += 31_000
    const { bus } = hub.store
    const { append } = bus
    bus.append = (...write) => {
      bus.append = append
      hub.core.bus.seen(worker.peerId)
      return append(...write)
    }
    await hub.core.tick()
    await expect
      .poll(async () => (await hub.core.bus.peers(worker.actor)).items[0])
      .toMatchObject({
        state: 'here',
        seenAt: now,
      })
    await hub.stop()
  })
})

describe('[BUS-8.8] a hub that was down', () => {
  it('counts the silence of a session from its start, also where its log is read at that moment', async () => {
    let now = 1_795_000_000_000
    const { hub, agent, sessionId } = await liveHub({ now: () => now })
    await agent.emit(sessionId, started('p1'))
    await expect.poll(() => toldOn(hub)).toContain('worker-boot-v1')
    await hub.crash()
    now += 3_600_000
    const slow = new SlowReads()
    const again = await TestHub.start({ file: hub.store.file, now: () => now, slow })
    const back = again.adopt(agent)
    await back.connect([back.report(sessionId)])
    slow.hold('trees.places')
    const usage = { inputTokens: 7, outputTokens: 0 }
    await back.emit(sessionId, { kind: 'turn_completed', turnId: 't1', reason: 'completed', usage })
    await slow.waiting('trees.places')
    await again.leave(back)
    const gate = await again.holdGate()
    slow.letGo('trees.places')
    // What is made of the log stands on what was known of the session, and waits to be written.
    await otherTurns()
    // Alone: other parts of a tick read what is held.
    const clock = again.core.busConnections as BusClock
    let hasTicked = false
    const ticking = clock.tick().then(() => {
      hasTicked = true
    })
    await otherTurns(() => hasTicked)
    await gate.release()
    await ticking
    const tokens = async () => (await again.core.bus.peers(ana)).items[0]?.heartbeat?.tokens_used
    await expect.poll(tokens).toBe(7)
    now += 1_000
    await clock.tick()
    expect(await toldOn(again)).not.toContain('system-peer-stale-v1')
    await again.crash()
    await again.store.close()
    await hub.store.remove()
  })
})
