import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, describe, expect, it } from 'vitest'
import { newSessionRow } from '../../core/ingest/session-row'
import { Erasing } from '../../core/sessions/erasing'
import { appended, changing, inserted } from '../../testing/stream-steps'
import { migrationsDir, openTestStore, type TestStore } from '../../testing/test-store'
import { openWriter } from './file/connections'
import { StorageKeeper } from './file/storage-keeper'
import { WriteGate } from './file/write-gate'
import { eventStatements } from './reads/event-reads'
import { activeStatements, latestOfMachines } from './reads/session-reads'
import { pendingStatements } from './rows/pending-statements'

const committed = readdirSync(migrationsDir, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name)
  .sort()
const fullDisk = () => Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' })

describe('the SQLite store', () => {
  const stores: TestStore[] = []
  const open = async (options: Parameters<typeof openTestStore>[0] = {}) => {
    const store = await openTestStore(options)
    stores.push(store)
    return store
  }
  afterEach(async () => {
    for (const store of stores.splice(0)) await store.remove()
  })

  const addSession = (store: TestStore, sessionId: string) =>
    store.ingest.change({}, changing(inserted(newSessionRow({ sessionId, agentId: 'agt_1', now: 1 }))))
  const addEvents = (store: TestStore, sessionId: string, from: number, count: number, words = 'x'.repeat(200)) =>
    store.ingest.change({}, changing(appended(sessionId, from, count, words)), count)
  const pkOf = async (store: TestStore, sessionId: string) =>
    (await store.prisma.session.findUniqueOrThrow({ where: { sessionId } })).pk

  describe('starts', () => {
    it('by applying the committed migrations once, and knows itself again', async () => {
      const first = await open({ migrationsDir })
      expect(first.applied).toEqual(committed)
      await first.close()
      const again = await open({ file: first.file })
      expect(again.applied).toEqual([])
      expect(again.hub).toEqual({ ...first.hub, starts: first.hub.starts + 1 })
      stores.shift()
    })

    it('[I4] with WAL and FULL on every connection that writes', async () => {
      const store = await open()
      const pragma = async (name: string) => {
        const [row] = await store.prisma.$queryRawUnsafe<Array<Record<string, bigint | string>>>(`PRAGMA ${name}`)
        return String(Object.values(row ?? {})[0])
      }
      expect([await pragma('journal_mode'), await pragma('synchronous'), await pragma('foreign_keys')]).toEqual([
        'wal',
        '2',
        '1',
      ])
    })

    it('not when a migration was changed after it had been applied, or comes from a newer hub', async () => {
      const store = await open({ migrationsDir })
      await store.close()
      const changed = path.join(store.dir, 'migrations')
      cpSync(migrationsDir, changed, { recursive: true })
      const [name = ''] = store.applied
      writeFileSync(path.join(changed, name, 'migration.sql'), 'SELECT 1;')
      await expect(openTestStore({ file: store.file, migrationsDir: changed })).rejects.toThrow('was changed')
      const empty = path.join(store.dir, 'none')
      mkdirSync(empty)
      await expect(openTestStore({ file: store.file, migrationsDir: empty })).rejects.toThrow('newer hub')
      stores[0] = await openTestStore({ file: store.file })
    })

    it('leaves nothing behind of a migration that fails', async () => {
      const store = await open()
      await store.close()
      const broken = path.join(store.dir, 'migrations')
      cpSync(migrationsDir, broken, { recursive: true })
      mkdirSync(path.join(broken, '29990101000000_broken'))
      const sql = 'CREATE TABLE "Half" (id INTEGER); INSERT INTO "Nowhere" VALUES (1);'
      writeFileSync(path.join(broken, '29990101000000_broken', 'migration.sql'), sql)
      await expect(openTestStore({ file: store.file, migrationsDir: broken })).rejects.toThrow('Nowhere')
      const db = new Database(store.file)
      expect(db.prepare(`SELECT 1 FROM sqlite_master WHERE name = 'Half'`).get()).toBeUndefined()
      db.close()
      stores[0] = await openTestStore({ file: store.file })
    })
  })

  describe('commits in groups', () => {
    it('[ACK-2] jobs of one turn of the event loop share a commit, at most 512 events', async () => {
      let commits = 0
      const store = await open({
        failpoint: (name) => {
          if (name === 'hub.afterInsert') commits += 1
        },
      })
      await Promise.all(Array.from({ length: 8 }, () => store.ingest.change({}, changing(), 64)))
      expect(commits).toBe(1)
      await Promise.all(Array.from({ length: 9 }, () => store.ingest.change({}, changing(), 64)))
      expect(commits).toBe(3)
    })

    it('jobs that throw cost their group one commit more, and not one for each', async () => {
      let commits = 0
      const store = await open({
        failpoint: (name) => {
          if (name === 'hub.afterCommit.beforeAck') commits += 1
        },
      })
      const bad = (name: string) =>
        store.ingest.change({}, () => {
          throw new Error(name)
        })
      const jobs = Array.from({ length: 60 }, (_, n) => (n % 20 === 7 ? bad(`s_${n}`) : addSession(store, `s_${n}`)))
      const ends = await Promise.allSettled(jobs)
      const refused = ends.flatMap((end, n) => (end.status === 'rejected' ? [[n, end.reason.message]] : []))
      expect(refused).toEqual([7, 27, 47].map((n) => [n, `s_${n}`]))
      const stored = await Promise.all(
        jobs.map(async (_, n) => (await store.reads.sessions.find(`s_${n}`)) !== undefined),
      )
      expect(stored).toEqual(jobs.map((_, n) => n % 20 !== 7))
      expect(commits).toBe(1)
    })

    it('[F17] a disk that refuses one job of a group again refuses them all, and keeps nothing', async () => {
      const store = await open()
      const good = addSession(store, 's_good')
      const bug = store.ingest.change({}, () => {
        throw new Error('a bug')
      })
      const full = store.ingest.change({}, () => {
        throw fullDisk()
      })
      const refused = await Promise.allSettled([good, bug, full])
      expect(refused).toMatchObject(Array(3).fill({ status: 'rejected', reason: { code: 'STORAGE_UNAVAILABLE' } }))
      expect(await store.reads.sessions.find('s_good')).toBeUndefined()
    })

    it('[F17] [T89] a full disk refuses without an acknowledgement, reads go on, and it recovers alone', async () => {
      let full = true
      const store = await open({
        failpoint: (name) => {
          if (full && name === 'hub.afterInsert') throw fullDisk()
        },
      })
      await expect(addSession(store, 's_1')).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' })
      expect([store.storage.health().state, await store.reads.sessions.find('s_1')]).toEqual(['full', undefined])
      expect((await store.reads.sessions.list({ limit: 5 })).rows).toEqual([])
      full = false
      await expect(addSession(store, 's_1')).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' })
      await store.storage.tick()
      await addSession(store, 's_1')
      expect([store.storage.health().state, (await store.reads.sessions.find('s_1'))?.sessionId]).toEqual(['ok', 's_1'])
      expect(readdirSync(store.dir)).not.toContain('.probe')
    })

    it('[STORE-7] [T89] while another program holds the lock, the first write waits for it and no other does', async () => {
      const store = await open()
      const told: string[] = []
      store.storage.onChange(({ state }) => told.push(state))
      const other = new Database(store.file)
      other.exec('BEGIN IMMEDIATE')
      const refusal = { code: 'STORAGE_UNAVAILABLE' }
      await expect(addSession(store, 's_1')).rejects.toMatchObject(refusal)
      const began = performance.now()
      const grant = () => store.prisma.hubState.update({ where: { id: 1 }, data: { requireApproval: true } })
      for (let n = 0; n < 8; n += 1) {
        await expect(addSession(store, 's_1')).rejects.toMatchObject(refusal)
        await expect(store.transactions.write((tx) => tx.answers.forgetBefore(1))).rejects.toMatchObject(refusal)
        await expect(grant()).rejects.toMatchObject(refusal)
        await store.storage.checkpoint()
        await store.storage.tick()
      }
      // Waits of 250 ms for each would be 8 s and more.
      expect(performance.now() - began).toBeLessThan(4_000)
      expect((await store.reads.sessions.list({ limit: 5 })).rows).toEqual([])
      other.close()
      await store.storage.tick()
      await Promise.all([addSession(store, 's_1'), grant()])
      expect([told, (await store.reads.sessions.find('s_1'))?.sessionId]).toEqual([['locked', 'ok'], 's_1'])
    })

    it('[F18] [STORE-8] comes into the file every 10 s, also when the clock is set back by a day', async () => {
      const store = await open()
      const db = openWriter(store.file)
      let [now, elapsed] = [Date.now(), 0]
      const keeper = new StorageKeeper({
        db,
        gate: new WriteGate(),
        file: store.file,
        now: () => now,
        elapsed: () => elapsed,
      })
      await addSession(store, 's_new')
      const isInFile = () => readFileSync(store.file).includes('s_new')
      await keeper.tick()
      expect(isInFile()).toBe(false)
      now -= 24 * 3_600_000
      elapsed += 10_000
      await keeper.tick()
      expect(isInFile()).toBe(true)
      db.close()
    })

    it('[F17] a disk stays full while it takes small writes and refuses as much as ordinary work needs, as a quota does', async () => {
      const store = await open()
      const told: string[] = []
      store.storage.onChange(({ state }) => told.push(state))
      const refusing = path.join(store.dir, '.probe')
      mkdirSync(refusing)
      store.storage.failed(fullDisk())
      await store.storage.tick()
      await expect(addSession(store, 's_1')).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' })
      await store.storage.tick()
      expect(told).toEqual(['full'])
      rmSync(refusing, { recursive: true })
      await store.storage.tick()
      expect(told).toEqual(['full', 'ok'])
    })
  })

  describe('at a hundred thousand events', () => {
    it('the latest page, a range and every pending look-up go by their index', async () => {
      const store = await open()
      await addSession(store, 's_long')
      for (let from = 1; from <= 100_000; from += 1_000) await addEvents(store, 's_long', from, 1_000, 'x')
      const db = new Database(store.file, { readonly: true })
      const plan = (sql: string, ...args: unknown[]) =>
        (db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...args) as Array<{ detail: string }>).map((row) => row.detail)
      const byKey = /^SEARCH Event USING INDEX sqlite_autoindex_Event_1 \(sessionPk=\? AND seq[<>]\?\)$/
      const whose = [
        expect.stringMatching(/^SCALAR SUBQUERY/),
        'SEARCH Session USING COVERING INDEX Session_sessionId_key (sessionId=?)',
      ]
      expect(plan(eventStatements.before, 's_long', 9e15, 200)).toEqual([expect.stringMatching(byKey), ...whose])
      expect(plan(eventStatements.after, 's_long', 50_000, 200)).toEqual([expect.stringMatching(byKey), ...whose])
      expect(plan(pendingStatements.commands, 'agt_1')[0]).toContain('Command_unfinished')
      expect(plan(pendingStatements.pending)[0]).toContain('Command_unfinished')
      expect(plan(pendingStatements.overdue, 1)[0]).toContain('Command_unfinished')
      expect(plan(pendingStatements.open, 's_long')[0]).toContain('Request_open')
      expect(plan(pendingStatements.closed, 's_long', 5)[0]).toContain('Request_decided')
      expect(plan(pendingStatements.shownOfMany, '["s_long"]').join(' ')).toContain('Command_shown')
      const limit = { perMachine: 50, inAll: 500, bytesPerMachine: 1_000 }
      expect(plan(pendingStatements.inbox, { agentIds: null, ...limit }).join()).toContain('Request_pending')
      expect(plan(pendingStatements.byMachine, { agentIds: null })[0]).toContain('Request_pending')
      const counts = plan(pendingStatements.counts, '["s_long"]').join()
      expect(counts).toContain('Session_sessionId_key (sessionId=?)')
      expect(counts).toContain('Request_pending (sessionPk=?)')
      const shownOfMany = plan(pendingStatements.shownOfMany, '["s_long"]').join()
      expect(shownOfMany).toContain('Command_shown (sessionId=?)')
      expect(shownOfMany).not.toContain('SCAN Command')
      expect(plan(latestOfMachines, '["agt_1"]', 20).join()).toContain('Session_agentId_idx (agentId=?)')
      expect(plan(latestOfMachines, '["agt_1"]', 20).join()).not.toContain('SCAN Session')
      expect(plan(activeStatements.all)).toEqual(['SCAN Session USING INDEX Session_active'])
      expect(plan(activeStatements.ofAgent, 'agt_1')).toEqual(['SEARCH Session USING INDEX Session_active (agentId=?)'])
      db.close()
      const latest = await store.reads.events.before('s_long', Number.MAX_SAFE_INTEGER, { maxEvents: 3, maxBytes: 1e6 })
      expect(latest.map((event) => event.seq)).toEqual([99_998, 99_999, 100_000])
      const far = await store.reads.events.measureAfter('s_long', 10, { maxEvents: 5_000, maxBytes: 1e9 })
      expect(far.events).toBe(5_001)
    })
  })

  it('[SES-3] [STORE-6] erases the others where one transcript cannot be erased, and that one when it can', async () => {
    const store = await open()
    const pks: number[] = []
    for (const sessionId of ['s_1', 's_2', 's_3']) {
      await addSession(store, sessionId)
      const pk = await pkOf(store, sessionId)
      pks.push(pk)
      await addEvents(store, sessionId, 1, 5)
      await store.transactions.write((tx) =>
        tx.sessions.delete({ sessionId, agentId: 'agt_1', deletedAt: 1, deletedBy: 'u' }),
      )
    }
    const said = `BEFORE DELETE ON Event WHEN OLD.sessionPk = ${pks[0]} BEGIN SELECT RAISE(ABORT, 'damaged'); END`
    await store.prisma.$executeRawUnsafe(`CREATE TRIGGER stuck ${said}`)
    const told: unknown[] = []
    let rounds = 0
    const undone = () => {
      rounds += 1
      return store.eraser.undone()
    }
    const erasing = new Erasing({ ...store.eraser, undone }, (error) => told.push(error))
    const left = () => store.prisma.event.groupBy({ by: ['sessionPk'], _count: true })
    /** None begins before the one ahead of it has ended. */
    const round = async () => {
      for (const next = rounds + 2; rounds < next; await new Promise((resolve) => setImmediate(resolve))) erasing.tick()
    }
    await round()
    expect(await left()).toEqual([{ sessionPk: pks[0], _count: 5 }])
    expect(told).toHaveLength(1)
    await store.prisma.$executeRawUnsafe('DROP TRIGGER stuck')
    while ((await store.eraser.undone()).length > 0) {
      erasing.tick()
      await new Promise((resolve) => setImmediate(resolve))
    }
    await erasing.stop()
    expect(await left()).toEqual([])
  })
})
