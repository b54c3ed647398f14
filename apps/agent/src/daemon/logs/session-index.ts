/**
 * What the daemon must know of every session without opening its log (STORE-3). The logs and the hub contain everything in
 * it, so it is written without fsync, at most a few times a second. It is written before a log's events go to the hub: if a
 * log is later shorter than what the hub has seen, the daemon must know that events were lost (REB-1).
 */
import type { HostState } from '@roundhouse/backend-types'
import type Database from 'better-sqlite3'
import { isDamage } from '../../log/broken-log'
import {
  copyOfIndexFile,
  type IndexFile,
  isBusy,
  openIndexFile,
  renewIndexFile,
  type SessionRow,
  writeIndexRows,
} from './index-file'
import { saysMore } from './says-more'

const FLUSH_MS = 250
const AGAIN_MS = 1_000

const nothingYet = { logId: '', last: 0, acked: 0, ackedEpoch: '', changed: true, stamp: 0, saysMore: null }

export class SessionIndex {
  private readonly rows = new Map<string, SessionRow>()
  private readonly dirty = new Set<string>()
  private closed = false
  private timer: NodeJS.Timeout | null = null
  /** Another program holds the file; nobody waits for it again until the timer fires. */
  private isHeld = false
  private db: Database.Database | null = null

  /** `guarded` writes now, or later if the disk refuses. Nothing in the index is worth ending the daemon. */
  constructor(
    private readonly file: string,
    private readonly guarded: (write: () => void) => void = (write) => write(),
    private readonly told: (line: string) => void = () => {},
  ) {
    let found: IndexFile | null = null
    this.guarded(() =>
      this.unlessBusy(() => {
        found = openIndexFile(file, told)
        this.db = found.db
      }),
    )
    const { rows } = (found as IndexFile | null) ?? copyOfIndexFile(file)
    for (const row of rows) this.rows.set(row.sessionId, row)
  }

  all(): SessionRow[] {
    return [...this.rows.values()]
  }

  get(sessionId: string): SessionRow | undefined {
    return this.rows.get(sessionId)
  }

  /** Creates the row if needed. Another `logId` means another log, of which nothing is acked. */
  put(sessionId: string, fields: Partial<Omit<SessionRow, 'sessionId'>>): SessionRow {
    const known = this.rows.get(sessionId)
    const sameLog = known !== undefined && (fields.logId === undefined || fields.logId === known.logId)
    const base = known ?? { ...nothingYet, sessionId }
    const row = { ...base, ...(sameLog ? {} : { acked: 0, ackedEpoch: '' }), ...fields }
    this.rows.set(sessionId, row)
    this.touch(sessionId)
    return row
  }

  /** The last account of a session that has no host any more. */
  noted(state: HostState): HostState {
    this.put(state.sessionId, { saysMore: saysMore(state) })
    return state
  }

  remove(sessionId: string): void {
    this.rows.delete(sessionId)
    this.touch(sessionId)
  }

  close(): void {
    this.flushNow()
    this.closed = true
    this.db?.close()
  }

  private touch(sessionId: string): void {
    this.dirty.add(sessionId)
    this.flushIn(FLUSH_MS)
  }

  private flushIn(ms: number): void {
    this.timer ??= setTimeout(() => this.flushNow(), ms).unref()
  }

  /** A program that copies the file, such as a backup, may hold it for a moment. It is written again later. */
  private unlessBusy(work: () => void): void {
    try {
      work()
    } catch (error) {
      if (!isBusy(error)) throw error
      this.isHeld = true
      this.flushIn(AGAIN_MS)
    }
  }

  /** Writes now, as durably as this file is ever written. What the disk refuses is written later. */
  flush(): void {
    if (!this.isHeld) this.flushNow()
  }

  private flushNow(): void {
    if (this.timer) clearTimeout(this.timer)
    this.timer = null
    this.isHeld = false
    if (!this.closed && this.dirty.size > 0) this.guarded(() => this.unlessBusy(() => this.write()))
  }

  private write(): void {
    if (this.closed || this.dirty.size === 0) return
    this.db ??= openIndexFile(this.file, this.told).db
    try {
      this.writeDirty(this.db)
    } catch (error) {
      if (!isDamage(error)) throw error
      this.beginAnew(this.db)
    }
    this.dirty.clear()
  }

  /** Damage shows when the file is written. Everything known is in memory. */
  private beginAnew(damaged: Database.Database): void {
    this.db = null
    damaged.close()
    for (const sessionId of this.rows.keys()) this.dirty.add(sessionId)
    this.db = renewIndexFile(this.file, this.told).db
    this.writeDirty(this.db)
  }

  private writeDirty(db: Database.Database): void {
    writeIndexRows(db, new Map([...this.dirty].map((sessionId) => [sessionId, this.rows.get(sessionId) ?? null])))
  }
}
