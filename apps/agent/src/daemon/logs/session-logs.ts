/**
 * The logs of this machine, opened when needed and kept open while they are in use. Each is behind a fence of its own: what
 * is wrong with one is told once, with the session's name, and is nobody else's trouble.
 *
 *   sound ── damage is met, here or by its host ──► damaged, marked ── a host has set it aside ──► sound
 */
import { createHash } from 'node:crypto'
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
import { isBusy } from './index-file'

/** A log that another program holds is not waited for again before this has passed. */
const HELD_REST_MS = 500
/** How much of an unreadable log is read again here; its next host reads all of it before it sets it aside. */
const LOOKED_AT_BYTES = 4 * 1024 * 1024
/** Each open log costs three descriptors and a small page cache. */
const OPEN_AT_MOST = 32

export interface LogTrouble {
  /** Whether there were events in it. A file without tables is then no young log, but one that lost them. */
  hadEvents(sessionId: string): boolean
  /** Nothing of this log is read until a host has set it aside, or found that nothing is wrong with it. */
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
  /** What the disk said last of a log that may be whole. */
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

  /** When the log was last written, what is not folded in yet included; 0 where there is none. */
  stamp(sessionId: string): number {
    const { log } = sessionFiles(this.folder(sessionId))
    const side = statOf(`${log}-wal`)
    return Math.max(statOf(log)?.mtimeMs ?? 0, side?.size ? side.mtimeMs : 0)
  }

  /** On the disk, with what is not folded in yet. */
  bytes(sessionId: string): number {
    const { log } = sessionFiles(this.folder(sessionId))
    return [log, `${log}-wal`].reduce((sum, file) => sum + (statOf(file)?.size ?? 0), 0)
  }

  /** The one way to what a log says. Null when there is none, or none that can be read. */
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

  /** The same, and closed again at once: for callers that visit all logs. */
  askOnce<T>(sessionId: string, question: (log: LogReader) => T): T | null {
    const wasOpen = this.open.has(sessionId)
    const answer = this.ask(sessionId, question)
    if (!wasOpen) this.forget(sessionId)
    return answer
  }

  /** The log of another session, in a copy of its folder: nothing in it is this one's. */
  isCopy(sessionId: string): boolean {
    if (!this.exists(sessionId)) return false
    const whose = this.askOnce(sessionId, (log) => log.session())
    if (whose === null || whose === sessionId) return false
    if (!this.copies.has(sessionId))
      this.trouble.log(`${sessionId}: its folder is a copy of ${whose}'s and is left alone`)
    this.copies.add(sessionId)
    return true
  }

  /** Damaged, and not yet set aside: whatever needs it waits. */
  isBroken(sessionId: string): boolean {
    return this.broken.has(sessionId)
  }

  /** Throws the code that means "later": what such a log holds is not known, and so not whether anything ran. */
  requireSound(sessionId: string): void {
    if (!this.broken.has(sessionId)) return
    throw new CodedError('STORAGE_UNAVAILABLE', 'The log of this session is damaged and is being replaced.')
  }

  /** One batch after that number. What is missing is sent as a gap, so that numbers stay dense. Throws when it is not there now. */
  read(sessionId: string, after: number, upTo: number, limits: ReadLimits): EventsToSend | null {
    if (!this.exists(sessionId)) {
      // Its folder may come back; if only the file is missing, its writer writes to a file that nobody reads.
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
      // A gap in front may make it one too many.
      const batch = { logId: log.logId(), events: filled.slice(0, limits.maxEvents) }
      const soFar = lacksSomething(after, batch.events) ? log.soFar() : null
      return soFar ? { ...batch, soFar } : batch
    })
    if (this.refused.has(sessionId)) throw new CodedError('STORAGE_UNAVAILABLE', this.refused.get(sessionId))
    // All of it was there when its host told of it.
    if (!batch) this.lostItsEnd(sessionId)
    return batch
  }

  /** It is not marked: what is left of it is good, and its next holder makes it a new log (REB-1). */
  lostItsEnd(sessionId: string): void {
    this.isDamaged(sessionId, 'it ends before what was written to it')
  }

  /** A mark that a host left, or the daemon before: true where there is one. */
  noticeMark(sessionId: string): boolean {
    const mark = damagedMark(this.folder(sessionId))
    if (mark) this.isDamaged(sessionId, mark.found)
    return mark !== null
  }

  /** A host has let the log go: what it did with a damaged one shows. */
  settled(sessionId: string): void {
    this.forget(sessionId)
    try {
      if (damagedMark(this.folder(sessionId)) === null) this.broken.delete(sessionId)
    } catch {
      // Unknown now: the next reader of the log finds out.
    }
  }

  /** Before the file is replaced or erased. */
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
    // A file that was deleted, or replaced, would answer on.
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

/** Null too where the disk does not say. */
function statOf(file: string): Stats | null {
  try {
    return statSync(file)
  } catch {
    return null
  }
}

/** Behind it a hub may not know what the session is (REB-2). */
const lacksSomething = (after: number, [first, ...rest]: readonly EventEnvelope[]): boolean =>
  (after === 0 && first?.kind !== 'session_created') || [first, ...rest].some((event) => event?.kind === 'gap')

/** Its host has made the file, and not yet what belongs into it. */
const isWithoutTables = (error: unknown): boolean =>
  (error as { code?: unknown }).code === 'SQLITE_ERROR' && /no such table/.test(String(error))

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
