/**
 * Resumes sessions by themselves after a crash (RES-3) if they have no host that may start their program. Each session
 * waits here for its time, then for a place that nobody else wants. Then its host is started and resumes it. The
 * session's log holds the wish, so nothing here must survive the daemon.
 *
 *   an account says so ─► its time ─► the queue, behind all requested sessions ─► its host gets a place and resumes it
 */
import { type HostState, toCodedError } from '@roundhouse/backend-types'
import { waitingCommand } from '../hosts/waiting-command'

/** How many hosts may die of one attempt before they begin it. */
const MOST_STARTS = 3
const RETRY_MS = 5_000
/** No pause is longer, even if the clock changed in the meantime. */
const LONGEST_MS = 16_000

export interface ResumePorts {
  /** Waits for a free place. False: it was withdrawn. */
  enter(sessionId: string): Promise<boolean>
  entered(sessionId: string): void
  withdraw(sessionId: string): void
  /** Starts the session's host, or gives a place to the one that runs. */
  start(sessionId: string): Promise<unknown>
  /** Records in the session's log that a person is needed. */
  giveUp(sessionId: string): Promise<unknown>
  /** The error is nobody's fault and passes. */
  isPassing(error: unknown): boolean
  now(): number
  log(line: string): void
}

interface Waiting {
  at: number
  timer: NodeJS.Timeout | null
}

export class ResumeWaker {
  private readonly waiting = new Map<string, Waiting>()
  /** How often a host was started for the attempt at that time. */
  private readonly starts = new Map<string, { at: number; count: number }>()
  private state: 'not yet' | 'on' | 'off' = 'not yet'

  constructor(private readonly ports: ResumePorts) {}

  sessions(): string[] {
    return [...this.waiting.keys()]
  }

  /** Begins once the previous daemon's sessions and the machine's policy are known. */
  begin(): void {
    if (this.state !== 'not yet') return
    this.state = 'on'
    for (const [sessionId, { at }] of [...this.waiting]) this.arm(sessionId, at)
  }

  stop(): void {
    this.state = 'off'
    for (const { timer } of this.waiting.values()) if (timer) clearTimeout(timer)
  }

  /** Takes a host's account, or what a host that is gone left in its log. `place`: that host resumes by itself. */
  seen(account: HostState, place: boolean): void {
    const { sessionId } = account
    const at = resumesAt(account)
    if (at === null) this.starts.delete(sessionId)
    if (at === null || place) this.forget(sessionId)
    else if (this.waiting.get(sessionId)?.at !== at) this.arm(sessionId, at)
  }

  erased(sessionId: string): void {
    this.starts.delete(sessionId)
    this.forget(sessionId)
  }

  private forget(sessionId: string): void {
    const known = this.waiting.get(sessionId)
    if (!known) return
    if (known.timer) clearTimeout(known.timer)
    this.waiting.delete(sessionId)
    this.ports.withdraw(sessionId)
  }

  private arm(sessionId: string, at: number, soonestMs = 0): void {
    this.forget(sessionId)
    if (this.state === 'off') return
    const waitMs = Math.max(soonestMs, Math.min(at - this.ports.now(), LONGEST_MS))
    const timer = this.state === 'on' ? setTimeout(() => void this.wake(sessionId, at), waitMs).unref() : null
    this.waiting.set(sessionId, { at, timer })
  }

  private async wake(sessionId: string, at: number): Promise<void> {
    const { ports } = this
    try {
      if (!(await ports.enter(sessionId)) || this.state === 'off') return
      if (this.mayStart(sessionId, at)) await ports.start(sessionId)
    } catch (error) {
      ports.log(`${sessionId}: could not resume by itself: ${toCodedError(error).message}`)
      if (ports.isPassing(error)) this.starts.delete(sessionId)
    } finally {
      ports.entered(sessionId)
    }
    // Its host never came or is gone again, and there is no other news of it.
    if (this.waiting.get(sessionId)?.at !== at || this.state === 'off') return
    if (this.hasStartsLeft(sessionId, at)) this.arm(sessionId, at, RETRY_MS)
    else await this.giveUp(sessionId)
  }

  private async giveUp(sessionId: string): Promise<void> {
    const { ports } = this
    this.forget(sessionId)
    ports.log(`${sessionId}: no longer resumes by itself: its hosts die during the attempt`)
    await ports.giveUp(sessionId).catch((error: unknown) => {
      ports.log(`${sessionId}: that could not be recorded yet: ${toCodedError(error).message}`)
    })
  }

  private hasStartsLeft(sessionId: string, at: number): boolean {
    const known = this.starts.get(sessionId)
    return known?.at !== at || known.count < MOST_STARTS
  }

  private mayStart(sessionId: string, at: number): boolean {
    if (!this.hasStartsLeft(sessionId, at)) return false
    const known = this.starts.get(sessionId)
    this.starts.set(sessionId, { at, count: known?.at === at ? known.count + 1 : 1 })
    return true
  }
}

/** Null if it does not resume by itself, or continues with a waiting prompt. */
function resumesAt(account: HostState): number | null {
  const { status } = account
  if (status.status !== 'resumable' || status.resumes === undefined) return null
  return waitingCommand(account) === null ? status.resumes.at : null
}
