import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sessionRow } from '../../testing/store-context'
import { appended, inserted } from '../../testing/stream-steps'
import { openTestStore, type TestStore } from '../../testing/test-store'
import { Waiter } from '../../testing/waiter'
import type { AppendEntry } from '../ports/append-store'
import type { Follower, FollowerWrite } from './follower'
import { LogFollower } from './log-follower'

/** Keeps what it was given, and writes a row of the audit log for each lot. */
class Keeper implements Follower {
  readonly name = 'keeper'
  kinds: Follower['kinds'] = null
  readonly taken: string[] = []
  fails = false
  writes = true
  constructor(private readonly waiter: Waiter) {}

  async take(entries: readonly AppendEntry[]): Promise<FollowerWrite | null> {
    this.waiter.look()
    if (this.fails) throw new Error('a bug')
    for (const entry of entries) {
      if (entry.kind === 'events') this.taken.push(...entry.events.map(({ seq }) => `${entry.sessionId} ${seq}`))
      else this.taken.push(`${entry.kind} ${entry.sessionId}`)
    }
    const lot = this.taken.join()
    if (!this.writes) return null
    const entry = { actorId: 'hub', actorName: 'hub', action: 'lot', object: lot, outcome: 'ok' } as const
    return (tx) => tx.audit.append(entry, 1)
  }
}

describe('[STORE-2.3] a follower of the log', () => {
  let store: TestStore
  let waiter: Waiter
  const errors: unknown[] = []
  beforeEach(async () => {
    errors.length = 0
    waiter = new Waiter()
    store = await openTestStore()
  })
  afterEach(() => store.remove())

  const start = (keeper = new Keeper(waiter), rest = async (_ms: number) => {}) => {
    const log = { info: () => {}, warn: () => {}, error: (facts: unknown) => void errors.push(facts) }
    const { appends, transactions } = store
    const follower = new LogFollower(keeper, { appends, transactions, elapsed: () => performance.now(), log, rest })
    return { keeper, follower }
  }
  const append = (sessionId: string, from: number, count: number) =>
    store.ingest.change({ sessions: [{ sessionId }] }, ({ sessions }) => {
      const made = sessions.get(sessionId)?.row ? [] : [inserted(sessionRow(sessionId))]
      return { change: [...made, appended(sessionId, from, count)], answer: null }
    })
  /** A tick, and the end of what it began. */
  const round = async (follower: LogFollower) => {
    follower.tick()
    await follower.stop()
  }

  it('[STORE-2.5] gets everything once, in order, however long it lay there, and rests between two lots', async () => {
    await append('s_1', 1, 1_500)
    await append('s_2', 1, 1)
    let rests = 0
    const { keeper, follower } = start(undefined, async () => {
      rests += 1
      await append('s_2', 1 + rests, 1)
    })
    expect(await follower.lag()).toBe(2)
    follower.tick()
    await waiter.until(() => keeper.taken.length >= 1_000)
    await expect.poll(() => follower.lag()).toBe(0)
    await follower.stop()
    const ofFirst = Array.from({ length: 1_500 }, (_, i) => `s_1 ${i + 1}`)
    expect(keeper.taken).toEqual([...ofFirst, 's_2 1', ...Array.from({ length: rests }, (_, i) => `s_2 ${i + 2}`)])
    expect(rests).toBe(1)
  })

  it('goes on where it stopped, in another process of the hub', async () => {
    await append('s_1', 1, 3)
    await round(start().follower)
    await append('s_1', 4, 1)
    const { keeper, follower } = start()
    await round(follower)
    expect(keeper.taken).toEqual(['s_1 4'])
  })

  it('writes and moves in one transaction: what fails on the disk leaves neither, and is taken again', async () => {
    await append('s_1', 1, 2)
    const keeper = new Keeper(waiter)
    const { write } = store.transactions
    let failures = 1
    store.transactions.write = (work) =>
      write(async (tx) => {
        const done = await work(tx)
        if (failures-- > 0) throw new Error('no space')
        return done
      })
    await round(start(keeper).follower)
    expect([await store.appends.cursor('keeper'), await store.prisma.audit.count()]).toEqual([
      { position: 0, seq: 0 },
      0,
    ])
    await round(start(keeper).follower)
    expect(keeper.taken).toEqual(['s_1 1', 's_1 2', 's_1 1', 's_1 2'])
    expect([await store.appends.cursor('keeper'), await store.prisma.audit.count()]).toEqual([
      { position: 1, seq: 2 },
      1,
    ])
  })

  it('that fails is told once, tried again at each tick, and stands still until it succeeds', async () => {
    await append('s_1', 1, 1)
    const { keeper, follower } = start()
    keeper.fails = true
    for (let tries = 0; tries < 3; tries += 1) {
      const next = new Promise<void>((resolve) => {
        const take = keeper.take.bind(keeper)
        keeper.take = (entries) => take(entries).finally(() => setImmediate(resolve))
      })
      follower.tick()
      await next
    }
    expect(errors).toEqual([{ follower: 'keeper', error: 'Error: a bug' }])
    keeper.fails = false
    await expect
      .poll(() => {
        follower.tick()
        return keeper.taken
      })
      .toEqual(['s_1 1'])
    await follower.stop()
    expect(await follower.lag()).toBe(0)
  })

  it('that writes nothing keeps its place all the same', async () => {
    await append('s_1', 1, 1)
    const { keeper, follower } = start()
    keeper.writes = false
    await round(follower)
    expect(await store.appends.cursor('keeper')).toEqual({ position: 1, seq: 1 })
  })

  it('writes its place only after many positions, where it took nothing of them', async () => {
    const { keeper, follower } = start()
    keeper.kinds = new Set(['published'])
    const position = async () => (await store.appends.cursor('keeper')).position
    const overtakes = async () => {
      follower.tick()
      await expect.poll(() => follower.lag()).toBe(0)
    }
    await append('s_1', 1, 1)
    await overtakes()
    expect(await position()).toBe(0)
    for (let seq = 2; seq <= 1_000; seq += 1) await append('s_1', seq, 1)
    await overtakes()
    await follower.stop()
    expect([keeper.taken, await position()]).toEqual([[], 1_000])
  })
})
