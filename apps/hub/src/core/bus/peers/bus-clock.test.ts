import { describe, expect, it } from 'vitest'
import { log, person, program } from '../../../testing/bus-program'
import { TestHub } from '../../../testing/test-hub'

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
