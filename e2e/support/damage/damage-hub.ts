/**
 * Damages the hub's own file by hand as a bad disk would: flipped bits, torn pages, NULL where none may be. The damage
 * is placed by the file's content, so that a test knows whose rows it hits. Changing bytes in place also works while
 * the hub runs; everything else needs a stopped hub.
 */
import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'

/** A whole number below this one: `seeded` of `random.ts`. */
export type Random = (below: number) => number

export class HubFile {
  readonly file: string

  constructor(dataDir: string) {
    this.file = path.join(dataDir, 'hub.db')
  }

  /** Writes everything into the file itself, so that the WAL does not cover the damage. */
  settle(): void {
    this.sql((db) => db.pragma('wal_checkpoint(TRUNCATE)'))
  }

  sql<T>(work: (db: Database.Database) => T): T {
    const db = new Database(this.file, { timeout: 5_000 })
    try {
      return work(db)
    } finally {
      db.close()
    }
  }

  /**
   * The pages of a table, counted from 0, that contain this text or its beginning. An overflow page holds the text of
   * one row only; a leaf holds the beginnings of several.
   */
  pagesWith(text: string, table: string, kind: 'overflow' | 'leaf'): number[] {
    const ofTable = new Set(
      this.sql((db) =>
        db
          .prepare<[string, string], number>(`SELECT pageno - 1 FROM dbstat WHERE name = ? AND pagetype = ?`)
          .pluck()
          .all(table, kind),
      ),
    )
    const bytes = readFileSync(this.file)
    const size = pageSize(bytes)
    const pages = new Set<number>()
    for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) pages.add(Math.floor(at / size))
    return [...pages].filter((page) => ofTable.has(page))
  }

  /** Flips this many bits in each occurrence of the text. */
  flipIn(text: string, bits: number, random: Random): void {
    this.#change((bytes) => {
      for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + text.length)) {
        for (let n = 0; n < bits; n += 1) flip(bytes, at + random(text.length), random)
      }
    })
  }

  flipOnPage(page: number, bits: number, random: Random): void {
    this.#change((bytes) => {
      const size = pageSize(bytes)
      for (let n = 0; n < bits; n += 1) flip(bytes, page * size + random(size), random)
    })
  }

  /** Like a power cut: some sectors are from another time, possibly including the head of the page. */
  tear(page: number, random: Random): void {
    this.#change((bytes) => {
      const size = pageSize(bytes)
      const sectors = size / 512
      const torn = 1 + random(sectors - 1)
      for (let n = 0; n < torn; n += 1) {
        const at = page * size + random(sectors) * 512
        for (let i = 0; i < 512; i += 1) bytes[at + i] = random(256)
      }
    })
  }

  /** Sets a value to NULL or anything else, whatever the table's constraints. The indexes do not change. */
  put(table: string, column: string, value: unknown, where: string, ...args: unknown[]): number {
    return this.sql((db) => {
      db.unsafeMode()
      db.pragma('foreign_keys = OFF')
      const indexes = `type = 'index' AND tbl_name = '${table}' AND sql IS NOT NULL`
      const own = db.prepare(`SELECT * FROM sqlite_schema WHERE ${indexes}`).all()
      const { sql } = db.prepare('SELECT sql FROM sqlite_schema WHERE name = ?').get(table) as { sql: string }
      const withSchema = (tableSql: string, rows: unknown[]) => {
        db.pragma('writable_schema = ON')
        db.prepare('UPDATE sqlite_schema SET sql = ? WHERE name = ?').run(tableSql, table)
        db.exec(`DELETE FROM sqlite_schema WHERE ${indexes}`)
        const add = db.prepare('INSERT INTO sqlite_schema VALUES (@type, @name, @tbl_name, @rootpage, @sql)')
        for (const row of rows) add.run(row)
        db.pragma('writable_schema = RESET')
      }
      withSchema(sql.replaceAll('NOT NULL', ''), [])
      try {
        return db.prepare(`UPDATE "${table}" SET "${column}" = ? WHERE ${where}`).run(value, ...args).changes
      } finally {
        withSchema(sql, own)
      }
    })
  }

  /** The file ends in the middle. */
  cut(toBytes: number): void {
    writeFileSync(this.file, readFileSync(this.file).subarray(0, toBytes))
  }

  /** Writes only the changed bytes, because a running hub writes at the same time. */
  #change(work: (bytes: Buffer) => void): void {
    const before = readFileSync(this.file)
    const after = Buffer.from(before)
    work(after)
    const fd = openSync(this.file, 'r+')
    for (let at = 0; at < after.length; at += 1) {
      if (after[at] !== before[at]) writeSync(fd, after, at, 1, at)
    }
    closeSync(fd)
  }
}

const pageSize = (bytes: Buffer): number => {
  const size = bytes.readUInt16BE(16)
  return size === 1 ? 65_536 : size
}

function flip(bytes: Buffer, at: number, random: Random): void {
  bytes[at] = (bytes[at] ?? 0) ^ (1 << random(8))
}
