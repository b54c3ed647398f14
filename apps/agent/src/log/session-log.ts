/**
 * A session's log, as its one writer sees it (LOG-1). An event gets its number at once and is durable when the promise
 * resolves: everything that was appended in one turn of the event loop goes into one commit, at most 512 events, and no
 * timer is ever waited for (LOG-3). What must change together with an event goes into the same transaction.
 *
 *   append -> numbered, queued -> commit (lease checked) -> resolved, then one doorbell
 *                                    \-> the disk refuses: all stays queued in order, tried again; `stalled` tells
 */
import { mkdirSync } from 'node:fs'
import { CodedError, EVENT_VERSION, type SessionEvent } from '@roundhouse/backend-types'
import { type RebaseOrder, rebaseEvents } from '@roundhouse/delivery'
import { failpoint } from '@roundhouse/failpoint'
import { lookAt, requireOwnDatabase } from '@roundhouse/owner'
import Database from 'better-sqlite3'
import { syncFolder } from '../files/write-durably'
import { sessionFiles, sessionOf } from '../host-contract/paths'
import { type Acked, ackedKey } from './acked'
import { keepArtifacts } from './artifacts'
import { isDamageOf, requireDamage, requireReadable, setForeignSidesAside, setLogAside } from './broken-log'
import { clearMark, type DamagedMark, damagedMark } from './damaged-mark'
import { LogPlace, LostLog } from './log-place'
import { isSoundLog } from './look-through'
import { prunedToKey } from './lost-log'
import { MarkedLog, requireUnmarked } from './require-unmarked'
import { prepareForWriting } from './schema'
import { type KeepWhole, type SerializedEvent, serializeEvent, sha256 } from './serialize'
import type { OpenOptions, RebaseEdit, SessionLogOptions } from './session-log-options'
import { type LogChange, LogStatements } from './statements'
import { type Pending, takeBatch } from './take-batch'
import { takeLease } from './take-lease'

const COMMIT_EVENTS = 512
const RETRY_MS = 1_000
const COMPACT_PAGES = 256
/** Above this the backend must wait; below half of it, it continues. */
const PRESSURE_EVENTS = 4_096
const PRESSURE_BYTES = 8 * 1024 * 1024

export class SessionLog {
  readonly logId: string
  readonly leaseToken: number
  readonly place: LogPlace
  private readonly file: string
  private readonly statements: LogStatements
  private readonly keepWhole: KeepWhole
  private readonly commitAll: (batch: Pending[]) => void
  private pending: Pending[] = []
  private pendingBytes = 0
  private pendingEvents = 0
  private armed = false
  private retry: NodeJS.Timeout | null = null
  private refusedBy: unknown = null
  private underPressure = false
  private closed = false
  private durableHead: number
  private nextSeq: number

  private constructor(
    private readonly db: Database.Database,
    sessionDir: string,
    private readonly options: OpenOptions,
  ) {
    this.file = sessionFiles(sessionDir).log
    this.statements = new LogStatements(db)
    this.keepWhole = keepArtifacts(sessionFiles(sessionDir).artifacts)
    const lease = takeLease(db, this.statements, { ...options, sessionId: sessionOf(sessionDir) })
    this.logId = lease.logId
    this.leaseToken = lease.leaseToken
    this.place = new LogPlace(this.file)
    this.durableHead = this.statements.head()
    this.nextSeq = this.durableHead + 1
    this.commitAll = db.transaction((batch: Pending[]) => this.commitBatch(batch))
  }

  /**
   * Opens or creates the log and raises the lease. The caller must hold the session's lock. A damaged log is replaced
   * by a new one.
   */
  static open(sessionDir: string, options: SessionLogOptions): SessionLog {
    const file = sessionFiles(sessionDir).log
    mkdirSync(sessionDir, { recursive: true, mode: 0o700 })
    const mark = damagedMark(sessionDir)
    const found = lookAt(file) !== undefined
    setForeignSidesAside(file, options.now())
    const sound = found ? SessionLog.openFound(file, sessionDir, options, mark) : null
    const log = sound ?? SessionLog.openFile(file, sessionDir, { ...options, replaces: found || mark !== null })
    if (!sound) syncFolder(sessionDir)
    // Also a mark that appeared in the meantime: it means the previous log, or this one while it was being created.
    if (mark || !sound) clearMark(sessionDir)
    return log
  }

  /** Null if the log was damaged and has been set aside. */
  private static openFound(
    file: string,
    sessionDir: string,
    options: SessionLogOptions,
    mark: DamagedMark | null,
  ): SessionLog | null {
    try {
      return SessionLog.openFile(file, sessionDir, { ...options, mark })
    } catch (error) {
      // The process that left the mark may have read only the beginning.
      if (error instanceof MarkedLog) requireReadable(file)
      else requireDamage(file, error)
      const aside = setLogAside(file, options.now())
      options.setAside?.(aside, error)
      return null
    }
  }

  private static openFile(file: string, sessionDir: string, options: OpenOptions): SessionLog {
    requireOwnDatabase(file)
    const db = new Database(file, { timeout: 1_000 })
    try {
      if (options.mark) requireUnmarked(db, options.mark)
      prepareForWriting(db)
      return new SessionLog(db, sessionDir, options)
    } catch (error) {
      db.close()
      throw error
    }
  }

  /** The last number on the disk. */
  get head(): number {
    return this.durableHead
  }

  /** The last number given out, on the disk or not. */
  get lastSeq(): number {
    return this.nextSeq - 1
  }

  /** Reads what is committed. */
  get rows(): LogStatements {
    return this.statements
  }

  /** Resolves with the last of the numbers when everything is on the disk. Throws at once if an event is invalid. */
  append(events: SessionEvent | readonly SessionEvent[], change?: LogChange): Promise<number> {
    return this.appendPrepared(this.prepare(Array.isArray(events) ? events : [events]), change)
  }

  /** The events as they will be written, before they have numbers. */
  prepare(events: readonly SessionEvent[]): SerializedEvent[] {
    return events.map((event) => serializeEvent(event, this.options.redact, this.keepWhole))
  }

  appendPrepared(prepared: readonly SerializedEvent[], change?: LogChange): Promise<number> {
    if (this.closed) return Promise.reject(new CodedError('FENCED', 'The log is closed.'))
    const envelopes = prepared.map(({ event: _written, ...serialized }) => {
      const seq = this.nextSeq
      this.nextSeq = (serialized.to ?? seq) + 1
      return { seq, ...serialized, v: EVENT_VERSION, at: this.options.now() }
    })
    return new Promise((resolve, reject) => {
      const bytes = envelopes.reduce((sum, envelope) => sum + Buffer.byteLength(envelope.body), 0)
      this.pending.push({ events: envelopes, bytes, change, resolve, reject })
      this.pendingBytes += bytes
      this.pendingEvents += envelopes.length
      if (bytes > 0) this.options.appended?.(bytes)
      this.watchPressure()
      this.arm()
    })
  }

  /** The error of the last attempt to write the queue; null if there was none. */
  get refusal(): unknown {
    return this.refusedBy
  }

  /** A change without an event. */
  write(change: LogChange): Promise<number> {
    return this.append([], change)
  }

  /** On disk when it returns, or throws the disk's error. The queue is written first. */
  writeNow(change: LogChange): void {
    this.flush()
    this.commitAll([{ events: [], bytes: 0, change, resolve: () => {}, reject: () => {} }])
    if (change.meta) this.options.keptMeta?.(change.meta)
  }

  /** Removes the text of an event for good. Number and hash stay (LOG-9). */
  blank(seq: number): void {
    this.edit(() => this.statements.blankEvent(seq))
  }

  /**
   * The only edit that a log ever gets (REB-1): events that the hub lacks move behind a gap, and everything before
   * counts as acked in this epoch. `change` is written with it and gets the new head; the caller rebuilds its state
   * from the log. `edit` removes events that the hub has anyway, and then gets the result.
   */
  rebase(order: RebaseOrder, epoch: string, change: (head: number) => LogChange, edit: RebaseEdit): void {
    this.flush()
    const before = this.statements.eventsAfter(order.held, -1)
    const moved = rebaseEvents(edit.withoutTold(before, order), order, this.options.now(), sha256)
    const acked: Acked = { upTo: order.to, epoch }
    this.edit(() => {
      this.statements.removeAfter(order.held)
      for (const event of moved) this.statements.insertEvent(event)
      this.statements.apply(change(this.statements.head()))
      this.statements.apply({ meta: { [ackedKey]: JSON.stringify(acked) } })
    })
    this.durableHead = this.statements.head()
    this.nextSeq = this.durableHead + 1
    edit.rebased(order, before, moved)
    this.options.committed?.(this.durableHead, [])
  }

  /** Removes events that the hub has, from the beginning (REB-3). `change` is written with it. Throws errors of the disk. */
  prune(upTo: number, change: LogChange): void {
    this.edit(() => {
      this.statements.removeUpTo(upTo)
      this.statements.apply(change)
      this.statements.apply({ meta: { [prunedToKey]: String(upTo) } })
    })
  }

  /** In one transaction, behind everything that was appended (LOG-1.2). */
  private edit(work: () => void): void {
    this.flush()
    const checked = this.db.transaction(() => {
      this.requireLease()
      work()
    })
    checked.immediate()
  }

  /** Reads all of it; slow. */
  isSound(): boolean {
    return this.closed || isSoundLog(this.db)
  }

  /** Returns the space that pruning freed to the disk, if it is worth rewriting the file. */
  compact(): void {
    const { pages, free } = this.statements.pages()
    if (free > COMPACT_PAGES && free > pages / 4) this.db.exec('VACUUM')
  }

  /** Commits the queue. Throws the disk's error; everything then stays queued. */
  flush(): void {
    while (this.pending.length > 0) this.commitNext()
  }

  /** Flushes, merges the side file and closes. */
  close(): void {
    if (this.closed) return
    if (this.retry) clearTimeout(this.retry)
    this.flush()
    this.closed = true
    // SQLite merges it only if no other process has the file open, and the daemon may have.
    this.db.pragma('wal_checkpoint(TRUNCATE)')
    this.db.close()
  }

  private arm(): void {
    if (this.armed || this.retry) return
    this.armed = true
    setImmediate(() => {
      this.armed = false
      this.commitTurn()
    })
  }

  private commitTurn(): void {
    if (this.closed || this.pending.length === 0) return
    try {
      this.commitNext()
    } catch (error) {
      this.failed(error)
      return
    }
    // The next 512 wait for the next turn, so that a flood does not block the event loop.
    if (this.pending.length > 0) this.arm()
  }

  private commitNext(): void {
    const batch = takeBatch(this.pending, COMMIT_EVENTS)
    this.commitAll(batch)
    this.pending = this.pending.slice(batch.length)
    for (const { events, bytes } of batch) {
      this.pendingBytes -= bytes
      this.pendingEvents -= events.length
      const last = events.at(-1)
      if (last) this.durableHead = last.to ?? last.seq
    }
    this.watchPressure()
    for (const { events, resolve } of batch) resolve(events.at(-1)?.seq ?? this.durableHead)
    const events = batch.flatMap((entry) => entry.events)
    if (events.length > 0) this.options.committed?.(this.durableHead, events)
    for (const { change } of batch) if (change?.meta) this.options.keptMeta?.(change.meta)
  }

  private commitBatch(batch: Pending[]): void {
    this.place.requireKept()
    this.requireLease()
    for (const { events, change } of batch) {
      for (const event of events) this.statements.insertEvent(event)
      if (change) this.statements.apply(change)
    }
    failpoint('agent.append')
  }

  private requireLease(): void {
    if (this.statements.meta('leaseToken') !== String(this.leaseToken)) throw new CodedError('FENCED')
  }

  private failed(error: unknown): void {
    if (error instanceof CodedError && error.code === 'FENCED') {
      this.closed = true
      for (const { reject } of this.pending) reject(error)
      this.pending = []
      this.db.close()
      this.options.fenced?.()
      return
    }
    if (this.options.damaged && (error instanceof LostLog || isDamageOf(this.file, error))) {
      this.closed = true
      this.options.damaged(error)
      return
    }
    this.refusedBy = error
    this.options.stalled?.(true, error)
    this.retry = setTimeout(() => this.retryNow(), RETRY_MS)
  }

  /** Retries refused writes now instead of within a second. */
  retryNow(): void {
    if (!this.retry) return
    clearTimeout(this.retry)
    this.retry = null
    try {
      this.flush()
      this.refusedBy = null
      this.options.stalled?.(false, null)
    } catch (error) {
      this.failed(error)
    }
  }

  private watchPressure(): void {
    const high = this.pendingEvents > PRESSURE_EVENTS || this.pendingBytes > PRESSURE_BYTES
    const low = this.pendingEvents < PRESSURE_EVENTS / 2 && this.pendingBytes < PRESSURE_BYTES / 2
    if (this.underPressure ? !low : !high) return
    this.underPressure = !this.underPressure
    this.options.pressure?.(this.underPressure)
  }
}
