/**
 * STORE-3: what the daemon must know of every session without opening its log. Everything in it can be read again from
 * the logs and the hub, so it is written without fsync, a few times a second at most, and before a log's news go to the hub:
 * a log that is found shorter than the hub has seen it must be known as lost (REB-1).
 */
import Database from 'better-sqlite3'

export interface SessionRow {
  sessionId: string
  logId: string
  last: number
  acked: number
  /** The hub's epoch under which `acked` was said. */
  ackedEpoch: string
  /** Changed since the hub last heard a complete report. */
  changed: boolean
  /** Modification time of the log file when `last` was read. */
  stamp: number
}

const FLUSH_MS = 250

type Stored = Omit<SessionRow, 'changed'> & { changed: number }

export class SessionIndex {
  private readonly rows = new Map<string, SessionRow>()
  private readonly dirty = new Set<string>()
  private timer: NodeJS.Timeout | null = null
  private readonly db: Database.Database

  constructor(file: string) {
    this.db = new Database(file)
    this.db.pragma('journal_mode = WAL')
    this.db.pragma('synchronous = OFF')
    this.db.pragma('cache_size = -256')
    this.db.exec(`CREATE TABLE IF NOT EXISTS sessions (
      sessionId TEXT PRIMARY KEY, logId TEXT NOT NULL, last INTEGER NOT NULL, acked INTEGER NOT NULL,
      ackedEpoch TEXT NOT NULL, changed INTEGER NOT NULL, stamp REAL NOT NULL) WITHOUT ROWID`)
    for (const row of this.db.prepare<[], Stored>('SELECT * FROM sessions').all()) {
      this.rows.set(row.sessionId, { ...row, changed: row.changed === 1 })
    }
  }

  all(): SessionRow[] {
    return [...this.rows.values()]
  }

  get(sessionId: string): SessionRow | undefined {
    return this.rows.get(sessionId)
  }

  /** Creates the row where there is none. Another `logId` is another log: nothing of it was acked. */
  put(sessionId: string, fields: Partial<Omit<SessionRow, 'sessionId'>>): SessionRow {
    const known = this.rows.get(sessionId)
    const sameLog = known !== undefined && (fields.logId === undefined || fields.logId === known.logId)
    const base = known ?? { sessionId, logId: '', last: 0, acked: 0, ackedEpoch: '', changed: true, stamp: 0 }
    const row = { ...base, ...(sameLog ? {} : { acked: 0, ackedEpoch: '' }), ...fields }
    this.rows.set(sessionId, row)
    this.touch(sessionId)
    return row
  }

  remove(sessionId: string): void {
    this.rows.delete(sessionId)
    this.touch(sessionId)
  }

  close(): void {
    this.flush()
    this.db.close()
  }

  private touch(sessionId: string): void {
    this.dirty.add(sessionId)
    this.timer ??= setTimeout(() => this.flush(), FLUSH_MS).unref()
  }

  /** Now, and on the disk as far as this file ever is. */
  flush(): void {
    if (this.timer) clearTimeout(this.timer)
    this.timer = null
    if (!this.db.open || this.dirty.size === 0) return
    const put = this.db.prepare(
      'INSERT OR REPLACE INTO sessions VALUES (@sessionId, @logId, @last, @acked, @ackedEpoch, @changed, @stamp)',
    )
    const drop = this.db.prepare('DELETE FROM sessions WHERE sessionId = ?')
    this.db.transaction(() => {
      for (const sessionId of this.dirty) {
        const row = this.rows.get(sessionId)
        if (row) put.run({ ...row, changed: row.changed ? 1 : 0 })
        else drop.run(sessionId)
      }
    })()
    this.dirty.clear()
  }
}
