import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { changing } from '../../../testing/stream-steps'
import { openTestStore, type TestStore } from '../../../testing/test-store'
import { WriteGate } from './write-gate'

/** A promise and the way to settle it. */
function signal() {
  let fire = () => {}
  const fired = new Promise<void>((resolve) => {
    fire = resolve
  })
  return { fire, fired }
}

const user = (id: string) => ({ id, name: id, email: `${id}@example.org` })

describe('the write gate', () => {
  let store: TestStore
  beforeEach(async () => {
    store = await openTestStore()
  })
  afterEach(() => store.remove())

  const names = async () => (await store.prisma.user.findMany({ orderBy: { id: 'asc' } })).map((row) => row.id)

  it('[STORE-1] a write issued while another request is in a transaction is kept when that one rolls back', async () => {
    const written = signal()
    const mayFail = signal()
    const doomed = store.prisma.$transaction(async (tx) => {
      await tx.user.create({ data: user('doomed') })
      written.fire()
      await mayFail.fired
      throw new Error('changed my mind')
    })
    await written.fired
    const kept = store.prisma.user.create({ data: user('kept') })
    mayFail.fire()
    await expect(doomed).rejects.toThrow('changed my mind')
    await kept
    expect(await names()).toEqual(['kept'])
  })

  it('[STORE-1] a group commit waits for an open Prisma transaction instead of freezing the event loop', async () => {
    const order: string[] = []
    const written = signal()
    const mayEnd = signal()
    const transaction = store.prisma.$transaction(async (tx) => {
      await tx.user.create({ data: user('first') })
      written.fire()
      await mayEnd.fired
      order.push('transaction')
    })
    await written.fired
    const commit = store.ingest.change({}, () => ({ change: [], answer: order.push('commit') }))
    for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve)) // loop turns
    expect(order).toEqual([])
    mayEnd.fire()
    await Promise.all([transaction, commit])
    expect(order).toEqual(['transaction', 'commit'])
  })

  it('[STORE-1] a read outside the transaction does not see what is not committed', async () => {
    const written = signal()
    const mayEnd = signal()
    const transaction = store.prisma.$transaction(async (tx) => {
      await tx.user.create({ data: user('new') })
      expect(await tx.user.count()).toBe(1)
      written.fire()
      await mayEnd.fired
    })
    await written.fired
    expect(await store.prisma.user.count()).toBe(0)
    mayEnd.fire()
    await transaction
    expect(await store.prisma.user.count()).toBe(1)
  })

  it('[STORE-1] transactions, single writes and group commits in one go all arrive', async () => {
    const jobs = Array.from({ length: 30 }, (_, i) => {
      if (i % 3 === 0) return store.prisma.$transaction((tx) => tx.user.create({ data: user(`u${i}`) }))
      if (i % 3 === 1) return store.prisma.user.create({ data: user(`u${i}`) })
      return store.ingest.change({ sessions: [{ sessionId: 'none' }] }, changing())
    })
    await Promise.all(jobs)
    expect(await store.prisma.user.count()).toBe(20)
  })

  it('[STORE-1] a group commit asked for inside the gate is refused, since it would wait for itself', async () => {
    await expect(store.prisma.$transaction(() => store.ingest.change({}, changing()))).rejects.toThrow(
      'inside the write gate',
    )
  })

  it('dates are integers for raw statements', async () => {
    await store.prisma.user.create({ data: { ...user('a'), createdAt: new Date(1_700_000_000_123) } })
    const [row] = await store.prisma.$queryRaw<Array<{ type: string }>>`SELECT typeof(createdAt) AS type FROM User`
    expect(row?.type).toBe('integer')
  })
})

describe('gates of several files', () => {
  const held = (...gates: WriteGate[]) => gates.map(({ isHeldHere }) => isHeldHere)

  it('[STORE-1] inside one of them only that one is held, and inside both of them both', async () => {
    const [one, other] = [new WriteGate(), new WriteGate()]
    await one.run(async () => {
      expect(held(one, other)).toEqual([true, false])
      await other.run(() => expect(held(one, other)).toEqual([true, true]))
      expect(held(one, other)).toEqual([true, false])
    })
    expect(held(one, other)).toEqual([false, false])
  })

  it('[STORE-1] work that was left running is no holder once the gate is let go, and waits for its own turn', async () => {
    const gate = new WriteGate()
    const letGo = signal()
    let leftRunning: Promise<boolean[]> | undefined
    await gate.run(() => {
      leftRunning = letGo.fired.then(() => gate.run(() => [...held(gate), gate.isFree]))
    })
    expect(gate.isFree).toBe(true)
    letGo.fire()
    expect(await leftRunning).toEqual([true, false])
    expect(gate.isFree).toBe(true)
  })
})
