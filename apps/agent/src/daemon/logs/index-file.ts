/**
 * The file of the session index. The logs contain everything in it, so a damaged file is set aside and a new one begun. A
 * row whose checksum does not match is read from its log again.
 */
import { createHash } from 'node:crypto'
import { InTheWay, readOwnBytes, requireOwnDatabase } from '@roundhouse/owner'
import Database from 'better-sqlite3'
import { isDamage, setLogAside } from '../../log/broken-log'

export interface SessionRow {
  sessionId: string
  logId: string
  last: number
  acked: number
  /** The hub's epoch in which `acked` was reported. */
  ackedEpoch: string
  /** Changed since the last complete report to the hub. */
  changed: boolean
  /** Modification time of the log file when `last` was read. */
  stamp: number
  /** Whether its last account says more than its events, such as waiting prompts. Null if unknown. */
  saysMore: boolean | null
}

type Stored = Omit<SessionRow, 'changed' | 'saysMore'> & { changed: number; saysMore: number | null }
type Summed = Stored & { sum: string | null }

const tables = `
CREATE TABLE IF NOT EXISTS sessions (
  sessionId TEXT PRIMARY KEY, logId TEXT NOT NULL, last INTEGER NOT NULL, acked INTEGER NOT NULL,
  ackedEpoch TEXT NOT NULL, changed INTEGER NOT NULL, stamp REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS sums (sessionId TEXT PRIMARY KEY, sum TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS accounts (sessionId TEXT PRIMARY KEY, saysMore INTEGER) WITHOUT ROWID;
`

/** How long the daemon stands still if another program holds the file. */
const BUSY_MS = 200
const MOST_BYTES = 1024 * 1024 * 1024

/** Another program holds it. */
export const isBusy = (error: unknown): boolean =>
  String((error as { code?: unknown } | null)?.code).startsWith('SQLITE_BUSY')

export interface IndexFile {
  db: Database.Database
  rows: SessionRow[]
}

/** Throws errors of the disk. `told` reports a file that was damaged. */
export function openIndexFile(file: string, told: (line: string) => void): IndexFile {
  try {
    return readIndexFile(file, told)
  } catch (error) {
    if (!isDamage(error) && !(error instanceof InTheWay)) throw error
    return renewIndexFile(file, told)
  }
}

export function renewIndexFile(file: string, told: (line: string) => void): IndexFile {
  const aside = setLogAside(file, Date.now())
  told(`the index of the sessions is damaged and lies in ${aside} now; it is made anew from the logs`)
  return readIndexFile(file, told)
}

function readIndexFile(file: string, told: (line: string) => void): IndexFile {
  requireOwnDatabase(file)
  const db = new Database(file, { timeout: BUSY_MS })
  try {
    db.pragma('journal_mode = WAL')
    db.pragma('synchronous = OFF')
    db.pragma('cache_size = -256')
    db.exec(tables)
    return { db, rows: rowsIn(db, told) }
  } catch (error) {
    db.close()
    throw error
  }
}

/**
 * Opens the file in memory if the disk has no room for SQLite's side files, or another program holds it. A clean end
 * merged the side files.
 */
export function copyOfIndexFile(file: string): { rows: SessionRow[] } {
  try {
    const bytes = readOwnBytes(file, { most: MOST_BYTES })
    // Switches WAL off: a database in memory has none.
    bytes.fill(1, 18, 20)
    const copy = new Database(bytes)
    try {
      copy.exec(tables)
      return { rows: rowsIn(copy, () => {}) }
    } finally {
      copy.close()
    }
  } catch {
    return { rows: [] }
  }
}

function rowsIn(db: Database.Database, told: (line: string) => void): SessionRow[] {
  const all = db
    .prepare<[], Summed>(
      'SELECT s.*, sums.sum, a.saysMore FROM sessions s LEFT JOIN sums USING (sessionId) LEFT JOIN accounts a USING (sessionId)',
    )
    .all()
  const sound = all.filter(isSound)
  if (sound.length < all.length) told(`${all.length - sound.length} rows of the index are damaged and are read anew`)
  return sound.map(({ sum: _sum, changed, saysMore, ...row }) => ({
    ...row,
    changed: changed === 1,
    saysMore: saysMore === null ? null : saysMore === 1,
  }))
}

/** An earlier version wrote no checksums. */
function isSound({ sum, ...row }: Summed): boolean {
  const texts = [row.sessionId, row.logId, row.ackedEpoch].every((value) => typeof value === 'string')
  const numbers = [row.last, row.acked, row.stamp].every((value) => Number.isFinite(value) && value >= 0)
  return texts && numbers && (sum === null || sum === sumOf(row))
}

function sumOf({ sessionId, logId, last, acked, ackedEpoch, changed, stamp, saysMore }: Stored): string {
  const told = saysMore === null ? [] : [saysMore]
  const text = JSON.stringify([sessionId, logId, last, acked, ackedEpoch, changed, stamp, ...told])
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

/** `rows`: the rows to write; null deletes a row. */
export function writeIndexRows(db: Database.Database, rows: ReadonlyMap<string, SessionRow | null>): void {
  const put = db.prepare(
    'INSERT OR REPLACE INTO sessions VALUES (@sessionId, @logId, @last, @acked, @ackedEpoch, @changed, @stamp)',
  )
  const putSum = db.prepare('INSERT OR REPLACE INTO sums VALUES (?, ?)')
  const putAccount = db.prepare('INSERT OR REPLACE INTO accounts VALUES (?, ?)')
  const drops = ['sessions', 'sums', 'accounts'].map((table) => db.prepare(`DELETE FROM ${table} WHERE sessionId = ?`))
  db.transaction(() => {
    for (const [sessionId, row] of rows) {
      if (row) {
        const stored = {
          ...row,
          changed: row.changed ? 1 : 0,
          saysMore: row.saysMore === null ? null : Number(row.saysMore),
        }
        put.run(stored)
        putAccount.run(sessionId, stored.saysMore)
        putSum.run(sessionId, sumOf(stored))
      } else for (const drop of drops) drop.run(sessionId)
    }
  })()
}
