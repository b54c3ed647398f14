import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Reads } from '../../../core/ports/stores'
import { openTestStore, type TestStore } from '../../../testing/test-store'
import type { Connection } from '../file/connections'
import { ReadPool } from './read-pool'
import type { OpenReads } from './reads'
import { openReads } from './reads'

describe('[VIEW-1.1] connections for reads of one state', () => {
  let store: TestStore
  let opened: OpenReads
  let late: Array<() => void>
  beforeEach(async () => {
    store = await openTestStore()
    late = []
    const after = (_ms: number, work: () => void) => {
      late.push(work)
      return () => {}
    }
    opened = openReads({ file: store.file, after })
  })
  afterEach(async () => {
    opened.close()
    await store.remove()
  })

  /** Open until the test ends it. */
  const hold = () => {
    let end = () => {}
    let hasBegun = false
    const ended = opened.reads.inOneRead(async (reads) => {
      await reads.hub.rightsVersion()
      hasBegun = true
      await new Promise<void>((resolve) => {
        end = resolve
      })
      return reads.hub.rightsVersion()
    })
    ended.catch(() => {})
    return { ended, end: () => end(), begun: () => hasBegun }
  }
  const turn = () => new Promise((resolve) => setImmediate(resolve))

  it('are four: whoever comes fifth waits for one of them', async () => {
    const held = Array.from({ length: 5 }, hold)
    await turn()
    expect(held.map(({ begun }) => begun())).toEqual([true, true, true, true, false])
    held[2]?.end()
    await held[2]?.ended
    await turn()
    expect(held[4]?.begun()).toBe(true)
    for (const { end } of held) end()
    await Promise.all(held.map(({ ended }) => ended))
  })

  it('that are held too long are given up, with a code, and make room', async () => {
    const held = Array.from({ length: 5 }, hold)
    await turn()
    late[0]?.()
    await expect(held[0]?.ended).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' })
    await turn()
    expect(held[4]?.begun()).toBe(true)
    for (const { end } of held) end()
    await Promise.all(held.slice(1).map(({ ended }) => ended))
  })

  it('nobody waits for without an end', async () => {
    const held = Array.from({ length: 5 }, hold)
    await turn()
    late[4]?.()
    await expect(held[4]?.ended).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' })
    for (const { end } of held.slice(0, 4)) end()
    await Promise.all(held.slice(0, 4).map(({ ended }) => ended))
    expect(await opened.reads.inOneRead((reads) => reads.hub.rightsVersion())).toBe(0)
  })

  it('are closed with the store, and what was open hears so', async () => {
    const held = hold()
    await turn()
    opened.close()
    held.end()
    await expect(held.ended).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' })
    await expect(opened.reads.inOneRead(async () => 1)).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' })
  })
})

describe('a connection that fails', () => {
  const work = async () => 'read'

  it('at its beginning is closed, and takes no place from the others', async () => {
    const opened: Connection[] = []
    const open = () => {
      const db = new Database(':memory:')
      if (opened.push(db) <= 5) db.exec('BEGIN') // a second one on it is refused
      return db
    }
    const pool = new ReadPool({ open, readsOf: () => ({}) as Reads })
    for (let failure = 0; failure < 5; failure += 1) await expect(pool.run(work)).rejects.toThrow()
    expect(opened.map((db) => db.open)).toEqual([false, false, false, false, false])
    expect(await pool.run(work)).toBe('read')
    pool.close()
  })

  it('to open in the place of one that was given up leaves whoever waits to the next that is free', async () => {
    const late: Array<() => void> = []
    let opens = 0
    const open = () => {
      opens += 1
      if (opens === 2) throw new Error('no descriptor is left')
      return new Database(':memory:')
    }
    const after = (_ms: number, given: () => void) => {
      late.push(given)
      return () => {}
    }
    const pool = new ReadPool({ open, readsOf: () => ({}) as Reads, connections: 1, after })
    const first = pool.run(() => new Promise<string>(() => {}))
    const waiting = pool.run(work)
    await new Promise((resolve) => setImmediate(resolve))
    expect(() => late[0]?.()).not.toThrow()
    await expect(first).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' })
    expect(await Promise.all([pool.run(work), waiting])).toEqual(['read', 'read'])
    pool.close()
  })
})
