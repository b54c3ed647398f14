/**
 * The logs of this machine, opened when needed and kept open while they are in use.
 */
import { createHash } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import path from 'node:path'
import { fillHoles, gapEvent } from '@roundhouse/delivery'
import { sessionFiles } from '../host-contract/paths'
import type { EventsToSend, ReadLimits } from '../hub-link'
import { isBrokenLog } from '../log/broken-log'
import { type LogReader, openLogReader } from '../log/reader'

/** Each open log costs three descriptors and a small page cache. */
const OPEN_AT_MOST = 32

export class SessionLogs {
  /** In order of use, the latest last. */
  private readonly open = new Map<string, LogReader>()
  private readonly broken = new Set<string>()

  constructor(readonly sessionsDir: string) {}

  folder(sessionId: string): string {
    return path.join(this.sessionsDir, sessionId)
  }

  exists(sessionId: string): boolean {
    return existsSync(sessionFiles(this.folder(sessionId)).log)
  }

  /** When the log file was last written; 0 where there is none. */
  stamp(sessionId: string): number {
    return statSync(sessionFiles(this.folder(sessionId)).log, { throwIfNoEntry: false })?.mtimeMs ?? 0
  }

  /** On the disk, with what is not folded in yet. */
  bytes(sessionId: string): number {
    const { log } = sessionFiles(this.folder(sessionId))
    return [log, `${log}-wal`].reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0)
  }

  /** Null when there is no log, or none that can be read. */
  reader(sessionId: string): LogReader | null {
    const known = this.open.get(sessionId)
    if (known) {
      this.open.delete(sessionId)
      this.open.set(sessionId, known)
      return known
    }
    if (!this.exists(sessionId)) return null
    const reader = this.openReader(sessionId)
    if (!reader) return null
    this.open.set(sessionId, reader)
    const oldest = this.open.keys().next().value
    if (this.open.size > OPEN_AT_MOST && oldest !== undefined) this.forget(oldest)
    return reader
  }

  private openReader(sessionId: string): LogReader | null {
    this.broken.delete(sessionId)
    try {
      return openLogReader(this.folder(sessionId))
    } catch (error) {
      if (isBrokenLog(error)) this.broken.add(sessionId)
      return null
    }
  }

  /** The file is there and is no log: as good as gone (REB-1). */
  isBroken(sessionId: string): boolean {
    return this.reader(sessionId) === null && this.broken.has(sessionId)
  }

  /** One batch after that number. What pruning or a rebase left out is sent as a gap, so that numbers stay dense. */
  read(sessionId: string, after: number, upTo: number, limits: ReadLimits): EventsToSend | null {
    const reader = this.reader(sessionId)
    if (!reader) return null
    const rows = reader.read(after, limits).filter((event) => event.seq <= upTo)
    const filled = fillHoles(after, upTo, rows, (from, to) => gapEvent({ from, to }, 'pruned', Date.now(), sha256))
    // A gap in front may make it one too many.
    return { logId: reader.logId(), events: filled.slice(0, limits.maxEvents) }
  }

  /** Before the file is replaced or erased. */
  forget(sessionId: string): void {
    this.open.get(sessionId)?.close()
    this.open.delete(sessionId)
  }

  close(): void {
    for (const sessionId of [...this.open.keys()]) this.forget(sessionId)
  }
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
