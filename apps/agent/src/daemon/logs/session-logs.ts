/**
 * The logs of this machine, opened when needed and kept open while they are in use. A problem with one log is reported
 * once, with the session's name, and never affects another.
 *
 *   sound ── damage is met, here or by its host ──► damaged, marked ── a host has set it aside ──► sound
 */
import { existsSync, type Stats, statSync } from 'node:fs'
import path from 'node:path'
import { CodedError, type EventEnvelope } from '@roundhouse/backend-types'
import { fillHoles, gapEvent, gapReasonOf } from '@roundhouse/delivery'
import { sessionFiles } from '../../host-contract/paths'
import type { EventsToSend, ReadLimits } from '../../hub-link'
import { isUnreadable, readRefusal } from '../../log/broken-log'
import { damagedMark, markDamaged } from '../../log/damaged-mark'
import { LogPlace } from '../../log/log-place'
import { type LogReader, openLogReader } from '../../log/reader'
import { DamagedRow } from '../../log/rows'
import { sha256 } from '../../log/sha256'
import { isBusy } from './index-file'

/** How long a log that another program holds is left alone before the next attempt. */
const HELD_REST_MS = 500
/** How much of an unreadable log is read again here. Its next host reads all of it before it sets it aside. */
const LOOKED_AT_BYTES = 4 * 1024 * 1024
/** Each open log costs three descriptors and a small page cache. */
const OPEN_AT_MOST = 32

export interface LogTrouble {
  /** Whether the log had events. A file without tables is then a log that lost them, and no new one. */
  hadEvents(sessionId: string): boolean
  /** Nothing of this log is read until a host has set it aside or found it sound. */
  damaged(sessionId: string, why: string): void
  log(line: string): void
}

interface Open {
  reader: LogReader
  place: LogPlace
  logId: string
}

export class SessionLogs {
  /** In order of use, the latest last. */
  private readonly open = new Map<string, Open>()
  private readonly broken = new Set<string>()
  private readonly copies = new Set<string>()
  /** The disk's last error for a log that may be intact. */
  private readonly refused = new Map<string, string>()
  private readonly heldUntil = new Map<string, number>()

  constructor(
    readonly sessionsDir: string,
    private readonly trouble: LogTrouble,
  ) {}

  folder(sessionId: string): string {
    return path.join(this.sessionsDir, sessionId)
  }

  exists(sessionId: string): boolean {
    return existsSync(sessionFiles(this.folder(sessionId)).log)
  }

  /** When the log was last written, including its side file. 0 if there is none. */
  stamp(sessionId: string): number {
    const { log } = sessionFiles(this.folder(sessionId))
    const side = statOf(`${log}-wal`)
    return Math.max(statOf(log)?.mtimeMs ?? 0, side?.size ? side.mtimeMs : 0)
  }

  /** The size on disk, including the side file. */
  bytes(sessionId: string): number {
    const { log } = sessionFiles(this.folder(sessionId))
    return [log, `${log}-wal`].reduce((sum, file) => sum + (statOf(file)?.size ?? 0), 0)
  }

  /** Every read of a log goes through here. Null if there is no readable log. */
  ask<T>(sessionId: string, question: (log: LogReader) => T): T | null {
    if (this.broken.has(sessionId) || performance.now() < (this.heldUntil.get(sessionId) ?? 0)) return null
    let logId: string | null = null
    try {
      const open = this.opened(sessionId)
      if (!open) return null
      logId = open.logId
      const answer = question(open.reader)
      this.refused.delete(sessionId)
      this.heldUntil.delete(sessionId)
      return answer
    } catch (error) {
      this.failed(sessionId, logId, error)
      return null
    }
  }

  /** The same, and closes the log again: for callers that visit all logs. */
  askOnce<T>(sessionId: string, question: (log: LogReader) => T): T | null {
    const wasOpen = this.open.has(sessionId)
    const answer = this.ask(sessionId, question)
    if (!wasOpen) this.forget(sessionId)
    return answer
  }

  /** A copied folder holds the log of another session. Nothing in it belongs to this one. */
  isCopy(sessionId: string): boolean {
    if (!this.exists(sessionId)) return false
    const whose = this.askOnce(sessionId, (log) => log.session())
    if (whose === null || whose === sessionId) return false
    if (!this.copies.has(sessionId))
      this.trouble.log(`${sessionId}: its folder is a copy of ${whose}'s and is left alone`)
    this.copies.add(sessionId)
    return true
  }

  /** Damaged and not yet set aside, so everything that needs it waits. */
  isBroken(sessionId: string): boolean {
    return this.broken.has(sessionId)
  }

  /** Throws the code that means "later": the content of a damaged log is unknown, including whether anything ran. */
  requireSound(sessionId: string): void {
    if (!this.broken.has(sessionId)) return
    throw new CodedError('STORAGE_UNAVAILABLE', 'The log of this session is damaged and is being replaced.')
  }

  /**
   * Reads one batch after that number. Missing events are sent as a gap, so numbers stay dense. Throws if the log is
   * not there now.
   */
  read(sessionId: string, after: number, upTo: number, limits: ReadLimits): EventsToSend | null {
    if (!this.exists(sessionId)) {
      // The folder may come back. If only the file is missing, its writer writes to a file that nobody reads.
      const isGone = existsSync(this.folder(sessionId)) && this.trouble.hadEvents(sessionId)
      if (isGone) this.isDamaged(sessionId, 'its file is gone')
      return null
    }
    const batch = this.ask(sessionId, (log) => {
      const rows = log.read(after, limits).filter((event) => event.seq <= upTo)
      const last = rows.at(-1)
      if (!last && log.found().head < upTo) return null
      const prunedTo = log.prunedTo()
      const reason = (from: number, to: number) => {
        const next = rows.find(({ seq }) => seq === to + 1)
        return from <= prunedTo || (next && gapReasonOf(next) === 'rebase') ? 'pruned' : 'corrupt'
      }
      const filled = fillHoles(after, upTo, rows, (from, to) =>
        gapEvent({ from, to }, reason(from, to), Date.now(), sha256),
      )
      // A gap in front may exceed the limit by one.
      const batch = { logId: log.logId(), events: filled.slice(0, limits.maxEvents) }
      const soFar = lacksSomething(after, batch.events) ? log.soFar() : null
      return soFar ? { ...batch, soFar } : batch
    })
    if (this.refused.has(sessionId)) throw new CodedError('STORAGE_UNAVAILABLE', this.refused.get(sessionId))
    // All of it was there when its host reported it.
    if (!batch) this.lostItsEnd(sessionId)
    return batch
  }

  /** The log is not marked: its remaining content is valid, and its next host gives it a new id (REB-1). */
  lostItsEnd(sessionId: string): void {
    this.isDamaged(sessionId, 'it ends before what was written to it')
  }

  /** Looks for a mark of a host or an earlier daemon. True if there is one. */
  noticeMark(sessionId: string): boolean {
    const mark = damagedMark(this.folder(sessionId))
    if (mark) this.isDamaged(sessionId, mark.found)
    return mark !== null
  }

  /** A host has released the log. What it did with a damaged one shows now. */
  settled(sessionId: string): void {
    this.forget(sessionId)
    try {
      if (damagedMark(this.folder(sessionId)) === null) this.broken.delete(sessionId)
    } catch {
      // Unknown now: the next reader of the log finds out.
    }
  }

  /** Call before the file is replaced or erased. */
  forget(sessionId: string): void {
    const known = this.open.get(sessionId)
    this.open.delete(sessionId)
    try {
      known?.reader.close()
    } catch (error) {
      this.trouble.log(`${sessionId}: its log could not be closed: ${String(error)}`)
    }
  }

  erased(sessionId: string): void {
    this.forget(sessionId)
    this.broken.delete(sessionId)
    this.refused.delete(sessionId)
    this.heldUntil.delete(sessionId)
  }

  close(): void {
    for (const sessionId of [...this.open.keys()]) this.forget(sessionId)
  }

  private opened(sessionId: string): Open | null {
    const known = this.open.get(sessionId)
    // An open file that was deleted or replaced would still return data.
    if (known?.place.look() === 'lost') this.forget(sessionId)
    else if (known) {
      this.open.delete(sessionId)
      this.open.set(sessionId, known)
      return known
    }
    if (!this.exists(sessionId)) return null
    const reader = openLogReader(this.folder(sessionId))
    const opened = { reader, place: new LogPlace(sessionFiles(this.folder(sessionId)).log), logId: '' }
    this.open.set(sessionId, opened)
    opened.logId = reader.logId()
    if (this.trouble.hadEvents(sessionId)) requireOwn(reader, sessionId)
    const oldest = this.open.keys().next().value
    if (this.open.size > OPEN_AT_MOST && oldest !== undefined) this.forget(oldest)
    return opened
  }

  private failed(sessionId: string, logId: string | null, error: unknown): void {
    this.forget(sessionId)
    const refusal = isUnreadable(error) ? readRefusal(sessionFiles(this.folder(sessionId)).log, LOOKED_AT_BYTES) : null
    const what = messageOf(refusal ?? error)
    const isYoung = logId === null && isWithoutTables(error) && !this.trouble.hadEvents(sessionId)
    if (isYoung) return
    if (!refusal && isUnreadable(error)) {
      markDamaged(this.folder(sessionId), { logId: logId || null, found: what })
      this.isDamaged(sessionId, what)
      return
    }
    if (isBusy(error)) this.heldUntil.set(sessionId, performance.now() + HELD_REST_MS)
    if (this.refused.get(sessionId) === what) return
    this.refused.set(sessionId, what)
    this.trouble.log(`${sessionId}: its log cannot be read now: ${what}`)
  }

  private isDamaged(sessionId: string, why: string): void {
    this.forget(sessionId)
    if (this.broken.has(sessionId)) return
    this.broken.add(sessionId)
    this.trouble.damaged(sessionId, why)
  }
}

/** For a known session: a log of another session in its folder is damage. */
function requireOwn(reader: LogReader, sessionId: string): void {
  const whose = reader.session()
  if (whose !== null && whose !== sessionId) throw new DamagedRow(`the log is that of ${whose}`)
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Also null if the disk does not say. */
function statOf(file: string): Stats | null {
  try {
    return statSync(file)
  } catch {
    return null
  }
}

/** Without the missing events a hub may not know what the session is (REB-2). */
const lacksSomething = (after: number, [first, ...rest]: readonly EventEnvelope[]): boolean =>
  (after === 0 && first?.kind !== 'session_created') || [first, ...rest].some((event) => event?.kind === 'gap')

/** Its host has created the file and not yet its tables. */
const isWithoutTables = (error: unknown): boolean =>
  (error as { code?: unknown }).code === 'SQLITE_ERROR' && /no such table/.test(String(error))
