import { describe, expect, it } from 'vitest'
import { log, person, program } from '../../testing/bus-program'
import { TestHub } from '../../testing/test-hub'

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
