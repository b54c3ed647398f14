/**
 * Notices that the conversation of an idle session continued elsewhere (RES-9): its transcript's file changed since it was
 * read. Each round checks every session that somebody watches, and a few of the others in turn. When a changed file is
 * quiet, a host without a program reads it, one session after the other. A folder of such files may not answer (FLOW-7) when
 * it is checked or read: it is skipped for a while, and other sessions are checked.
 */
import path from 'node:path'
import { toCodedError } from '@roundhouse/backend-types'
import { type FileState, isSameState, type TranscriptSeen } from '../../log/transcript-seen'
import { late, within } from '../hosts/session/leave-host'
import type { Supervisor } from '../hosts/supervisor'
import type { SessionIndex } from '../logs/session-index'
import type { SessionLogs } from '../logs/session-logs'
import type { PathLooker } from '../looks/path-looker'

const ROUND_MS = 2_000
/** How many sessions per round that nobody watches. */
const OTHERS_A_ROUND = 20
/** A program that is still writing is not at the end of a turn. */
const QUIET_MS = 2_000
/** How long a folder that did not answer is left alone. */
const HUNG_MS = 30_000
/** After this time a slow reading continues, and the next one starts. */
const SLOW_MS = 5_000

export interface TranscriptWatchPorts {
  sessions(): string[]
  isLooked(sessionId: string): boolean
  /** No host of the session runs that would read it. */
  isAtRest(sessionId: string): boolean
  /** When the session's log was last written. */
  logStamp(sessionId: string): number
  /** As recorded in the log; null if nothing was. */
  seen(sessionId: string): TranscriptSeen | null
  /** The present state of files of one folder, null for missing ones. Rejects if the folder does not answer. */
  states(files: string[]): Promise<Record<string, FileState | null>>
  /** Lets a host of the session read its transcript. */
  read(sessionId: string): Promise<void>
  now(): number
  /** Ms of a monotonic clock. */
  elapsed(): number
  log(line: string): void
}

interface AtRest {
  sessionId: string
  seen: TranscriptSeen
  folder: string
}

interface Known {
  stamp: number
  seen: TranscriptSeen | null
}

export class TranscriptWatch {
  private readonly known = new Map<string, Known>()
  /** The state of a file when it was last read, whatever the result. */
  private readonly tried = new Map<string, FileState>()
  /** The state in which a file was first found, and when. Its own date may come from a clock that was set since. */
  private readonly found = new Map<string, { state: FileState; at: number }>()
  /** Folders that did not answer, and until when they are left alone. */
  private readonly hung = new Map<string, number>()
  private readonly reading = new Set<string>()
  private next = 0
  private timer: NodeJS.Timeout | null = null
  private running: Promise<void> | null = null
  private stopped = false

  constructor(
    private readonly ports: TranscriptWatchPorts,
    private readonly slowMs = SLOW_MS,
  ) {}

  start(): void {
    this.timer ??= setInterval(() => void this.round(), ROUND_MS).unref()
  }

  /** A current reading completes, and the round ends. */
  stop(): void {
    this.stopped = true
    if (this.timer) clearInterval(this.timer)
    this.timer = null
  }

  /** Resolves when this round, or the current one, is over. */
  round(): Promise<void> {
    this.running ??= this.lookAtSome().finally(() => {
      this.running = null
    })
    return this.running
  }

  private async lookAtSome(): Promise<void> {
    const all = this.ports.sessions()
    for (const gone of [...this.known.keys()].filter((sessionId) => !all.includes(sessionId))) this.forget(gone)
    const seen = this.chosen(all).flatMap((sessionId) => this.atRest(sessionId))
    const folders = new Set(seen.map(({ folder }) => folder))
    const looks = [...folders].map((folder) => this.statesIn(folder, seen))
    const states = Object.assign({}, ...(await Promise.all(looks)))
    for (const one of seen) {
      if (this.stopped) return
      if (this.isHung(one.folder)) continue
      const changed = this.changeOf(one, states[one.seen.file] ?? null)
      if (changed) await this.read(one, changed)
    }
  }

  private chosen(all: readonly string[]): string[] {
    const looked = all.filter((sessionId) => this.ports.isLooked(sessionId))
    const from = this.next < all.length ? this.next : 0
    this.next = from + OTHERS_A_ROUND
    return [...new Set([...looked, ...all.slice(from, this.next)])]
  }

  private atRest(sessionId: string): AtRest[] {
    const isFree = this.ports.isAtRest(sessionId) && !this.reading.has(sessionId)
    const seen = isFree ? this.seenOf(sessionId) : null
    return seen ? [{ sessionId, seen, folder: path.dirname(seen.file) }] : []
  }

  private async statesIn(folder: string, all: readonly AtRest[]): Promise<Record<string, FileState | null>> {
    if (this.isHung(folder)) return {}
    const files = all.filter((one) => one.folder === folder).map(({ seen }) => seen.file)
    try {
      const states = await this.ports.states([...new Set(files)])
      this.hung.delete(folder)
      return states
    } catch (error) {
      const { message, details } = toCodedError(error)
      // An error without a path means that the look did not start.
      if (details?.path === undefined) return {}
      this.leaveAlone(folder, message)
      return {}
    }
  }

  private isHung(folder: string): boolean {
    return (this.hung.get(folder) ?? 0) > this.ports.elapsed()
  }

  private leaveAlone(folder: string, why: string): void {
    if (!this.hung.has(folder)) this.ports.log(`turns made elsewhere are not seen: ${why}`)
    this.hung.set(folder, this.ports.elapsed() + HUNG_MS)
  }

  /** The present state of a file that must be read. */
  private changeOf({ sessionId, seen }: AtRest, now: FileState | null): FileState | null {
    // A host may have started since the check.
    if (!now || !this.ports.isAtRest(sessionId)) return null
    if (isSameState(now, seen) || !this.isQuiet(sessionId, now)) return null
    const tried = this.tried.get(sessionId)
    return tried && isSameState(tried, now) ? null : now
  }

  private isQuiet(sessionId: string, state: FileState): boolean {
    const { elapsed, now } = this.ports
    const found = this.found.get(sessionId)
    if (found && isSameState(found.state, state)) {
      if (elapsed() - found.at >= QUIET_MS) return true
    } else this.found.set(sessionId, { state, at: elapsed() })
    return state.changedAt <= now() - QUIET_MS
  }

  private async read({ sessionId, folder, seen }: AtRest, state: FileState): Promise<void> {
    this.tried.set(sessionId, state)
    this.reading.add(sessionId)
    const read = this.ports
      .read(sessionId)
      .catch((error: unknown) => this.ports.log(`${sessionId}: could not read turns made elsewhere: ${String(error)}`))
      .finally(() => this.reading.delete(sessionId))
    if ((await within(this.slowMs, read)) === late) this.leaveAlone(folder, `${seen.file} is not read in time.`)
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
    this.found.delete(sessionId)
  }
}

export function watchTranscripts(
  index: SessionIndex,
  logs: SessionLogs,
  supervisor: Supervisor,
  looker: PathLooker,
  now: () => number,
  log: (line: string) => void,
): TranscriptWatch {
  return new TranscriptWatch({
    sessions: () => index.all().map(({ sessionId }) => sessionId),
    isLooked: (sessionId) => supervisor.looked.has(sessionId),
    isAtRest: (sessionId) => {
      const hosted = supervisor.known(sessionId)
      return hosted === undefined || (hosted.attached === null && !hosted.starting && hosted.inHand === 0)
    },
    logStamp: (sessionId) => logs.stamp(sessionId),
    seen: (sessionId) => logs.askOnce(sessionId, (kept) => kept.transcriptSeen()),
    states: (files) => looker.see({ look: 'stats', files }),
    read: (sessionId) => supervisor.hosted(sessionId).bringUpToDate(),
    now,
    elapsed: () => performance.now(),
    log,
  })
}
