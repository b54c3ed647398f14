import { generateKeyPairSync } from 'node:crypto'
import path from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AuditCheck } from '../../core'
import { createAuditLog } from '../../core/audit/audit-log'
import { makeOlderDatabase } from '../../testing/older-database'
import { openTestStore, type TestStore } from '../../testing/test-store'
import { openWriter } from './file/connections'

const CHAIN_MIGRATION = '20261122080013'

describe('the audit log in the database', () => {
  let store: TestStore
  beforeEach(async () => {
    store = await openTestStore()
  })
  afterEach(() => store.remove())

  const entry = (action: string) => ({ actorId: 'u_1', actorName: 'Ana', action, outcome: 'ok' as const })
  const append = (action: string, at = 1) => store.transactions.write((tx) => tx.audit.append(entry(action), at))
  const check = () => new AuditCheck(store.reads.audit).run()

  async function filled(count: number): Promise<void> {
    for (let n = 1; n <= count; n += 1) {
      const facts = { object: `o${n}`, address: '::1', detail: { n } }
      await store.transactions.write((tx) => tx.audit.append({ ...entry(`deed.${n}`), ...facts }, n))
    }
  }

  /** As somebody does who has the file: the triggers stand in nobody's way. */
  function tamper(sql: string): void {
    const db = new Database(store.file)
    db.exec('DROP TRIGGER IF EXISTS Audit_no_update; DROP TRIGGER IF EXISTS Audit_no_delete')
    db.exec(sql)
    db.close()
  }

  it('[AUD-1] grows and does nothing else', async () => {
    await filled(1)
    const db = openWriter(store.file)
    expect(() => db.exec("UPDATE Audit SET actorName = 'Eve'")).toThrow('append-only')
    expect(() => db.exec('DELETE FROM Audit')).toThrow('append-only')
    db.close()
  })

  it('is one chain, however many write at once', async () => {
    const failing = store.transactions.write(async (tx) => {
      await tx.audit.append(entry('undone'), 1)
      throw new Error('changed my mind')
    })
    await Promise.allSettled([failing, ...Array.from({ length: 40 }, (_, n) => append(`deed.${n}`))])
    const rows = (await store.reads.audit.after(0, 100)).rows
    expect(rows.map(({ id }) => id)).toEqual(Array.from({ length: 40 }, (_, n) => n + 1))
    expect(await check()).toMatchObject({ intact: true, count: 40, head: { id: 40, hash: rows.at(-1)?.hash } })
  })

  it.each([
    ['id', 'id = 99 WHERE id = 2'],
    ['at', 'at = 5 WHERE id = 2'],
    ['actorId', "actorId = 'u_2' WHERE id = 2"],
    ['actorName', "actorName = 'Eve' WHERE id = 2"],
    ['action', "action = 'deed.9' WHERE id = 2"],
    ['object', 'object = NULL WHERE id = 2'],
    ['outcome', "outcome = 'refused' WHERE id = 2"],
    ['address', "address = '10.0.0.1' WHERE id = 2"],
    ['detail', `detail = '{"n":3}' WHERE id = 2`],
    ['hash', "hash = '' WHERE id = 1"],
  ])('a changed %s is found', async (_column, change) => {
    await filled(3)
    expect((await check()).intact).toBe(true)
    tamper(`UPDATE Audit SET ${change}`)
    expect((await check()).intact).toBe(false)
  })

  it('a row that is gone is found, at the beginning, within and at the end', async () => {
    await filled(3)
    tamper('DELETE FROM Audit WHERE id = 3')
    expect(await check()).toMatchObject({ broken: { id: 3, why: 'the rows after 2 are missing' } })
    tamper('DELETE FROM Audit WHERE id = 1')
    expect(await check()).toMatchObject({ count: 0, broken: { id: 2 } })
  })

  it('two rows that changed places are found', async () => {
    await filled(3)
    tamper(
      'UPDATE Audit SET id = 9 WHERE id = 2; UPDATE Audit SET id = 2 WHERE id = 3; UPDATE Audit SET id = 3 WHERE id = 9',
    )
    expect(await check()).toMatchObject({ count: 1, broken: { id: 2 } })
  })

  it('a check goes on where it stopped, over more rows than it takes at once', async () => {
    await filled(3)
    const going = new AuditCheck(store.reads.audit)
    await going.run()
    await store.transactions.write(async (tx) => {
      for (let n = 0; n < 1_500; n += 1) await tx.audit.append(entry('deed.more'), n)
    })
    expect(await going.run()).toMatchObject({ intact: true, count: 1_503 })
  })

  it('[T51] a decision that was written into the database is found, and so is one that was turned round', async () => {
    const decided = (requestId: string, decision: string) =>
      `INSERT INTO Request (requestId, sessionPk, sessionId, agentId, procId, digest, ask, askedAt, outcome, decision, decidedBy)
       VALUES ('${requestId}', 1, 's', 'a', 'p', 'd', '{}', 1, 'open', '${decision}', 'u_1')`
    const recorded = { ...entry('permission.decide'), object: 'r1', detail: { decision: 'deny' } }
    await store.transactions.write((tx) => tx.audit.append(recorded, 1))
    tamper(decided('r1', 'deny'))
    expect((await check()).intact).toBe(true)
    tamper("UPDATE Request SET decision = 'allow' WHERE requestId = 'r1'")
    expect(await check()).toMatchObject({ intact: false, broken: { requestId: 'r1' } })
    tamper(`UPDATE Request SET decision = 'deny' WHERE requestId = 'r1'; ${decided('r2', 'allow')}`)
    expect(await check()).toMatchObject({ intact: false, broken: { requestId: 'r2' } })
  })

  describe('[AUD-2] keeps nobody else waiting, however long it is', () => {
    const manyRequests = (from: number, count: number, columns: string, values: string) =>
      tamper(
        `WITH RECURSIVE n(i) AS (SELECT ${from} UNION ALL SELECT i + 1 FROM n WHERE i < ${from + count - 1})
         INSERT INTO Request (requestId, sessionPk, sessionId, agentId, procId, digest, ask, askedAt, outcome${columns})
         SELECT 'r' || i, 1, 's', 'a', 'p', 'd', '{}', 1, 'open'${values} FROM n`,
      )

    /** How many turns of the event loop others had meanwhile. */
    async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
      let turns = 0
      let over = false
      const count = () => {
        turns += 1
        if (!over) setImmediate(count)
      }
      setImmediate(count)
      await work()
      over = true
      return turns
    }

    it('a check reads the register of requests a lot for each turn, and later only the newest and a part of the others', async () => {
      manyRequests(1, 5_500, '', '')
      const read: number[] = []
      const going = new AuditCheck({
        ...store.reads.audit,
        requestsAfter: (place, limit) => {
          read.push(limit)
          return store.reads.audit.requestsAfter(place, limit)
        },
      })
      expect(await turnsDuring(() => going.run())).toBeGreaterThanOrEqual(5)
      read.length = 0
      await going.run()
      expect(read.reduce((sum, limit) => sum + limit, 0)).toBeLessThanOrEqual(2_000)
    })

    it('[T51] a check that goes on finds a forged decision at once among the newest, and later wherever it is', async () => {
      manyRequests(1, 3_500, '', '')
      for (const [requestId, runs] of [
        ['r3400', 1],
        ['r7', 5],
      ] as const) {
        const going = new AuditCheck(store.reads.audit)
        expect(await going.run()).toMatchObject({ intact: true })
        tamper(`UPDATE Request SET decision = 'allow', decidedBy = 'u_1' WHERE requestId = '${requestId}'`)
        for (let run = 1; run < runs; run += 1) await going.run()
        expect(await going.run()).toMatchObject({ intact: false, broken: { requestId } })
        tamper(`UPDATE Request SET decision = NULL WHERE requestId = '${requestId}'`)
      }
    })

    it('a page that a filter leaves little of is looked for a lot for each turn', async () => {
      tamper(
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 22000)
         INSERT INTO Audit (id, at, actorId, actorName, action, outcome)
         SELECT i, i, 'u_' || (i % 9000), 'Ana', iif(i % 9000 = 1, 'deed.rare', 'deed.usual'), 'ok' FROM n`,
      )
      const [hub, owner] = [{ hubId: 'h', privateKey: generateKeyPairSync('ed25519').privateKey }, { role: 'owner' }]
      const auditWatch = { check: async () => ({ head: { id: 1, hash: '' } }) }
      const log = createAuditLog({ hub, auditWatch } as never, store.reads.audit)
      const pages: unknown[] = []
      const ask = async (filter: object) => {
        const { items, next } = await log.page(owner as never, { limit: 2, ...filter })
        pages.push([items.map(({ id }) => id), next])
      }
      expect(await turnsDuring(() => ask({ action: 'deed.rare' }))).toBeGreaterThanOrEqual(4)
      await ask({ action: 'deed.rare', cursor: '9001' })
      await ask({ actorId: 'u_1', action: 'deed' })
      await ask({})
      await ask({ actorId: 'nobody' })
      expect(pages).toEqual([
        [[18_001, 9_001], '9001'],
        [[1], null],
        [[18_001, 9_001], '9001'],
        [[22_000, 21_999], '21999'],
        [[], null],
      ])
    })
  })

  it('rows from before the chain are its beginning, and can be changed no more either', async () => {
    const file = path.join(store.dir, 'older.db')
    const insert = `INSERT INTO Audit (at, actorId, actorName, action, outcome) VALUES (1, 'u_1', 'Ana', 'old', 'ok')`
    makeOlderDatabase(file, CHAIN_MIGRATION, (db) => db.exec(`${insert}; ${insert}`))
    await store.close()
    store = Object.assign(await openTestStore({ file }), { dir: store.dir })
    expect(await check()).toMatchObject({ intact: true, count: 2 })
    await append('deed.new')
    await append('deed.new')
    expect(await check()).toMatchObject({ intact: true, count: 4 })
    tamper("UPDATE Audit SET actorName = 'Eve' WHERE id = 1")
    expect(await check()).toMatchObject({ broken: { id: 3 } })
  })
})
