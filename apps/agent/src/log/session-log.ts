/**
 * A session's log, as its one writer sees it (LOG-1). An event gets its number at once and is durable when the promise
 * resolves: everything that was appended in one turn of the event loop goes into one commit, at most 512 events, and no
 * timer is ever waited for (LOG-3). What must change together with an event goes into the same transaction.
 *
 *   append -> numbered, queued -> commit (lease checked) -> resolved, then one doorbell
 *                                    \-> the disk refuses: all stays queued in order, tried again; `stalled` tells
 */
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync } from 'node:fs'
import { CodedError, EVENT_VERSION, type EventEnvelope, type SessionEvent } from '@roundhouse/backend-types'
import { type RebaseOrder, rebaseEvents } from '@roundhouse/delivery'
import { failpoint } from '@roundhouse/failpoint'
import Database from 'better-sqlite3'
import { syncFolder } from '../files/write-durably'
import { sessionFiles } from '../host-contract/paths'
import type { Redactor } from '../redact/redactor'
import { type Acked, ackedKey } from './acked'
import { keepArtifacts } from './artifacts'
import { isBrokenLog, setLogAside } from './broken-log'
import { formerLogIdsKey, isLost, type KnownLog, logLostKey, parseFormerLogIds } from './lost-log'
import { LOG_SCHEMA_VERSION, prepareForWriting } from './schema'
import { type KeepWhole, type SerializedEvent, serializeEvent, sha256 } from './serialize'
import { type LogChange, LogStatements } from './statements'

const COMMIT_EVENTS = 512
const RETRY_MS = 1_000
const COMPACT_PAGES = 256
/** Above this the backend is told to wait; below half of it, to go on. */
const PRESSURE_EVENTS = 4_096
const PRESSURE_BYTES = 8 * 1024 * 1024

export interface SessionLogOptions {
  redact: Redactor
  now(): number
  /** What is remembered of this log elsewhere: where it is more than is found, the log is lost and gets a new id. */
  known?: KnownLog | undefined
  /** The file was no log, and lies under this name now. */
  setAside?(file: string, error: unknown): void
  /** So many bytes of bodies were given numbers. */
  appended?(bytes: number): void
  /** The doorbell: everything up to this number is on the disk. */
  committed?(head: number): void
  /** These rows of `meta` are on the disk. */
  keptMeta?(meta: NonNullable<LogChange['meta']>): void
  /** The disk refuses (`true`), or took everything again (`false`). */
  stalled?(stalled: boolean, error: unknown): void
  /** Somebody else holds the lease: this writer is dead and must end. */
  fenced?(): void
  /** More is queued than may be: stop reading (`true`), go on (`false`). */
  pressure?(high: boolean): void
}

interface Pending {
  events: EventEnvelope[]
  bytes: number
  change: LogChange | undefined
  resolve(head: number): void
  reject(error: unknown): void
}

export class SessionLog {
  readonly logId: string
  readonly leaseToken: number
  private readonly statements: LogStatements
  private readonly keepWhole: KeepWhole
  private readonly commitAll: (batch: Pending[]) => void
  private pending: Pending[] = []
  private pendingBytes = 0
  private pendingEvents = 0
  private armed = false
  private retry: NodeJS.Timeout | null = null
  private underPressure = false
  private closed = false
  private durableHead: number
  private nextSeq: number

  private constructor(
    private readonly db: Database.Database,
    sessionDir: string,
    private readonly options: SessionLogOptions,
  ) {
    this.statements = new LogStatements(db)
    this.keepWhole = keepArtifacts(sessionFiles(sessionDir).artifacts)
    const lease = this.takeLease()
    this.logId = lease.logId
    this.leaseToken = lease.leaseToken
    this.durableHead = this.statements.head()
    this.nextSeq = this.durableHead + 1
    this.commitAll = db.transaction((batch: Pending[]) => this.commitBatch(batch))
  }

  /** Opens or makes the log and raises the lease. Hold the session's lock. A file that is no log makes way for a new one. */
  static open(sessionDir: string, options: SessionLogOptions): SessionLog {
    const file = sessionFiles(sessionDir).log
    mkdirSync(sessionDir, { recursive: true, mode: 0o700 })
    const isNew = !existsSync(file)
    try {
      const log = SessionLog.openFile(file, sessionDir, options)
      if (isNew) syncFolder(sessionDir)
      return log
    } catch (error) {
      if (isNew || !isBrokenLog(error)) throw error
      options.setAside?.(setLogAside(file, options.now()), error)
    }
    const log = SessionLog.openFile(file, sessionDir, options)
    syncFolder(sessionDir)
    return log
  }

  private static openFile(file: string, sessionDir: string, options: SessionLogOptions): SessionLog {
    const db = new Database(file, { timeout: 1_000 })
    try {
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

  /** Resolves with the last of its numbers when all of it is on the disk. Throws at once on an event that is not valid. */
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

  /** A change without an event. */
  write(change: LogChange): Promise<number> {
    return this.append([], change)
  }

  /** Takes the text of an event out for good; number and hash stay (LOG-9). */
  blank(seq: number): void {
    this.flush()
    this.statements.blankEvent(seq)
  }

  /**
   * The only edit that a log ever sees (REB-1): what the hub does not hold moves up behind a gap, and all before it counts
   * as acked under this epoch. `change` goes with it, given the new head; the caller builds its picture of the log anew.
   */
  rebase(order: RebaseOrder, epoch: string, change: (head: number) => LogChange): void {
    this.flush()
    const moved = rebaseEvents(this.statements.eventsAfter(order.held, -1), order, this.options.now(), sha256)
    const acked: Acked = { upTo: order.to, epoch }
    this.db
      .transaction(() => {
        this.statements.removeAfter(order.held)
        for (const event of moved) this.statements.insertEvent(event)
        this.statements.apply(change(this.statements.head()))
        this.statements.apply({ meta: { [ackedKey]: JSON.stringify(acked) } })
      })
      .immediate()
    this.durableHead = this.statements.head()
    this.nextSeq = this.durableHead + 1
    this.options.committed?.(this.durableHead)
  }

  /** What the hub has goes, from the first number on (REB-3). `change` goes with it. Throws what the disk says. */
  prune(upTo: number, change: LogChange): void {
    this.flush()
    this.db
      .transaction(() => {
        this.requireLease()
        this.statements.removeUpTo(upTo)
        this.statements.apply(change)
      })
      .immediate()
  }

  /** Gives what pruning left free back to the disk, where that is worth writing the file anew. */
  compact(): void {
    const { pages, free } = this.statements.pages()
    if (free > COMPACT_PAGES && free > pages / 4) this.db.exec('VACUUM')
  }

  /** Commits everything queued, now. Throws what the disk says; everything then stays queued. */
  flush(): void {
    while (this.pending.length > 0) this.commitNext()
  }

  /** Flushes, folds the side file in and closes. */
  close(): void {
    if (this.closed) return
    if (this.retry) clearTimeout(this.retry)
    this.flush()
    this.closed = true
    // By itself it would be folded in only where nobody else has the file open, and the daemon may.
    this.db.pragma('wal_checkpoint(TRUNCATE)')
    this.db.close()
  }

  private takeLease(): { logId: string; leaseToken: number } {
    return this.db
      .transaction(() => {
        const leaseToken = Number(this.statements.meta('leaseToken') ?? 0) + 1
        const { logId, meta } = this.identity()
        this.statements.apply({
          meta: { ...meta, logId, leaseToken: String(leaseToken), schema: String(LOG_SCHEMA_VERSION) },
        })
        return { logId, leaseToken }
      })
      .immediate()
  }

  /** Its id, or a new one where it is lost: then it says so until the commands of the lost time are closed. */
  private identity(): { logId: string; meta: NonNullable<LogChange['meta']> } {
    const { known } = this.options
    const logId = this.statements.meta('logId')
    const formerLogIds = parseFormerLogIds(this.statements.meta(formerLogIdsKey))
    const found = logId === null ? null : { logId, head: this.statements.head(), formerLogIds }
    if (!known || !isLost(known, found)) return { logId: logId ?? randomUUID(), meta: {} }
    const before = new Set([...formerLogIds, ...(logId === null ? [] : [logId]), known.logId])
    return { logId: randomUUID(), meta: { [formerLogIdsKey]: JSON.stringify([...before]), [logLostKey]: '1' } }
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
    // The next 512 wait for the next turn, so that a flood cannot keep the loop from everything else.
    if (this.pending.length > 0) this.arm()
  }

  private commitNext(): void {
    const batch = takeBatch(this.pending)
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
    if (batch.some(({ events }) => events.length > 0)) this.options.committed?.(this.durableHead)
    for (const { change } of batch) if (change?.meta) this.options.keptMeta?.(change.meta)
  }

  private commitBatch(batch: Pending[]): void {
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
    this.options.stalled?.(true, error)
    this.retry = setTimeout(() => this.retryCommit(), RETRY_MS)
  }

  private retryCommit(): void {
    this.retry = null
    try {
      this.flush()
    } catch (error) {
      this.failed(error)
      return
    }
    this.options.stalled?.(false, null)
  }

  private watchPressure(): void {
    const high = this.pendingEvents > PRESSURE_EVENTS || this.pendingBytes > PRESSURE_BYTES
    const low = this.pendingEvents < PRESSURE_EVENTS / 2 && this.pendingBytes < PRESSURE_BYTES / 2
    if (this.underPressure ? !low : !high) return
    this.underPressure = !this.underPressure
    this.options.pressure?.(this.underPressure)
  }
}

/** At least one entry, then as many as fit into one commit. */
function takeBatch(pending: readonly Pending[]): Pending[] {
  let events = 0
  const over = pending.findIndex((entry, index) => {
    events += entry.events.length
    return index > 0 && events > COMMIT_EVENTS
  })
  return over < 0 ? [...pending] : pending.slice(0, over)
}
