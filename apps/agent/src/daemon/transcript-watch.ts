/**
 * Notices that the conversation of a session at rest went on elsewhere (RES-9): its transcript's file is another one than
 * when it was read. A round looks at every session that somebody looks at and at a few of the others, in a circle; what
 * changed and is quiet is read by a host without a program, one after the other.
 */
import { type FileState, fileState, isSameState, type TranscriptSeen } from '../log/transcript-seen'
import type { SessionIndex } from './session-index'
import type { SessionLogs } from './session-logs'
import type { Supervisor } from './supervisor'

const ROUND_MS = 2_000
/** Of those that nobody looks at. */
const OTHERS_A_ROUND = 20
/** Who writes still is not at the end of a turn. */
const QUIET_MS = 2_000

export interface TranscriptWatchPorts {
  sessions(): string[]
  isLooked(sessionId: string): boolean
  /** No host runs that would see to it. */
  isAtRest(sessionId: string): boolean
  /** When the session's log was last written. */
  logStamp(sessionId: string): number
  /** As the log has it; null where nothing was noted. */
  seen(sessionId: string): TranscriptSeen | null
  /** Has a host of the session read its transcript. */
  read(sessionId: string): Promise<void>
  now(): number
  log(line: string): void
}

interface Known {
  stamp: number
  seen: TranscriptSeen | null
}

export class TranscriptWatch {
  private readonly known = new Map<string, Known>()
  /** The state in which a file was when it was last read, whatever came of it. */
  private readonly tried = new Map<string, FileState>()
  private next = 0
  private timer: NodeJS.Timeout | null = null
  private running: Promise<void> | null = null
  private stopped = false

  constructor(private readonly ports: TranscriptWatchPorts) {}

  start(): void {
    this.timer ??= setInterval(() => void this.round(), ROUND_MS).unref()
  }

  /** What is being read is read; a round goes no further. */
  stop(): void {
    this.stopped = true
    if (this.timer) clearInterval(this.timer)
    this.timer = null
  }

  /** Resolves when this round, or the one that runs, is over. */
  round(): Promise<void> {
    this.running ??= this.lookAtSome().finally(() => {
      this.running = null
    })
    return this.running
  }

  private async lookAtSome(): Promise<void> {
    const all = this.ports.sessions()
    for (const gone of [...this.known.keys()].filter((sessionId) => !all.includes(sessionId))) this.forget(gone)
    for (const sessionId of this.chosen(all)) {
      if (this.stopped) return
      const changed = this.changeOf(sessionId)
      if (changed) await this.read(sessionId, changed)
    }
  }

  private chosen(all: readonly string[]): string[] {
    const looked = all.filter((sessionId) => this.ports.isLooked(sessionId))
    const from = this.next < all.length ? this.next : 0
    this.next = from + OTHERS_A_ROUND
    return [...new Set([...looked, ...all.slice(from, this.next)])]
  }

  /** The state of a file that is to be read. */
  private changeOf(sessionId: string): FileState | null {
    if (!this.ports.isAtRest(sessionId)) return null
    const seen = this.seenOf(sessionId)
    const now = seen && fileState(seen.file)
    if (!seen || !now || isSameState(now, seen) || now.changedAt > this.ports.now() - QUIET_MS) return null
    const tried = this.tried.get(sessionId)
    return tried && isSameState(tried, now) ? null : now
  }

  private async read(sessionId: string, state: FileState): Promise<void> {
    this.tried.set(sessionId, state)
    try {
      await this.ports.read(sessionId)
    } catch (error) {
      this.ports.log(`${sessionId}: what was said elsewhere could not be read: ${String(error)}`)
    }
  }

  private seenOf(sessionId: string): TranscriptSeen | null {
    const stamp = this.ports.logStamp(sessionId)
    const known = this.known.get(sessionId)
    if (known?.stamp === stamp) return known.seen
    const seen = this.ports.seen(sessionId)
    this.known.set(sessionId, { stamp, seen })
    return seen
  }

  private forget(sessionId: string): void {
    this.known.delete(sessionId)
    this.tried.delete(sessionId)
  }
}

export function watchTranscripts(
  index: SessionIndex,
  logs: SessionLogs,
  supervisor: Supervisor,
  now: () => number,
  log: (line: string) => void,
): TranscriptWatch {
  return new TranscriptWatch({
    sessions: () => index.all().map(({ sessionId }) => sessionId),
    isLooked: (sessionId) => supervisor.looked.has(sessionId),
    isAtRest: (sessionId) => {
      const slot = supervisor.known(sessionId)
      return slot === undefined || (slot.attached === null && !slot.starting && slot.inHand === 0)
    },
    logStamp: (sessionId) => logs.stamp(sessionId),
    seen: (sessionId) => logs.askOnce(sessionId, (kept) => kept.transcriptSeen()),
    read: (sessionId) => supervisor.slot(sessionId).bringUpToDate(),
    now,
    log,
  })
}
