/**
 * Limits running programs to the policy's number; further prompts wait in order. An idle program is asked to leave first:
 * its session continues by resuming, and its grants survive (SES-6).
 */
import { CodedError, type Waits } from '@roundhouse/backend-types'
import type { RunningSession } from '../hosts/running-session'
import { RoomMaker } from './room-maker'

/**
 * `accepted`: it waits on this machine's disk, and no cancel takes it back. `soon`: it can take another path. `spare`:
 * nobody asked for it now, so it comes last, and no program is asked to leave for it.
 */
export type Patience = 'accepted' | 'forever' | 'soon' | 'spare'

interface Waiting {
  sessionId: string
  commandId: string
  patience: Patience
  resolve(entered: boolean): void
  reject(error: CodedError): void
}

/** A request among the next ones waits this long for a place before it takes another path. */
const SOON_MS = 2_000
/** A long list is sent at most this often, because it always crosses the wire completely. */
const TELL_EVERY_MS = 2_000
const SHORT_LIST = 20
/** As many as a frame may have. */
const LONGEST_LIST = 1_000

export class RunningLimit {
  private queue: Waiting[] = []
  private readonly room: RoomMaker
  /** Admitted sessions that are not running yet. */
  private readonly admitted = new Set<string>()

  private told = ''
  private telling: NodeJS.Timeout | null = null

  constructor(
    private readonly limit: () => number,
    private readonly running: () => RunningSession[],
    /** Receives the waiting sessions and their reasons whenever they change. */
    private readonly tell: (waits: Waits) => void = () => {},
    /** True if somebody is viewing the session, so that it goes before the others. */
    private readonly isLooked: (sessionId: string) => boolean = () => false,
  ) {
    this.room = new RoomMaker({
      running,
      isNeeded: () => this.asked().length > 0,
      left: () => this.look(),
    })
  }

  waits(): Waits {
    const shown = this.queue.slice(0, LONGEST_LIST)
    const commands = shown.map(({ sessionId, commandId }) => ({ sessionId, commandId }))
    return { running: this.taken().size, limit: this.limit(), commands }
  }

  /**
   * Resolves when this session may start a program, at once if it has one. With `soon`: resolves to `false` if others
   * are before it and none of the next ending programs makes room for it.
   */
  enter(sessionId: string, commandId: string, patience: Patience = 'forever'): Promise<boolean> {
    const taken = this.taken()
    const before = patience === 'spare' ? this.queue : this.asked()
    if (taken.has(sessionId) || (before.length === 0 && taken.size < this.limit())) {
      this.admitted.add(sessionId)
      return Promise.resolve(true)
    }
    if (patience === 'soon' && before.length >= this.limit()) {
      this.room.look()
      return Promise.resolve(false)
    }
    return new Promise((resolve, reject) => {
      const waiting = { sessionId, commandId, patience, resolve, reject }
      this.queue.push(waiting)
      if (patience === 'soon') setTimeout(() => this.give(waiting), SOON_MS)
      this.look()
    })
  }

  /** It takes another path. */
  private give(waiting: Waiting): void {
    if (!this.queue.includes(waiting)) return
    this.queue = this.queue.filter((entry) => entry !== waiting)
    this.tellChanges()
    waiting.resolve(false)
  }

  /** It no longer waits, for example because a person removed it from the queue. */
  withdraw(sessionId: string, patience: 'accepted' | 'spare' = 'accepted'): void {
    const [mine, others] = [true, false].map((is) =>
      this.queue.filter((entry) => (entry.patience === patience && entry.sessionId === sessionId) === is),
    ) as [Waiting[], Waiting[]]
    if (mine.length === 0) return
    this.queue = others
    this.tellChanges()
    for (const { resolve } of mine) resolve(false)
  }

  /** Nothing of the session waits any more, whatever it waited for. */
  erased(sessionId: string): void {
    const gone = this.queue.filter((entry) => entry.sessionId === sessionId)
    if (gone.length === 0) return
    this.queue = this.queue.filter((entry) => entry.sessionId !== sessionId)
    this.tellChanges()
    for (const { reject } of gone) reject(new CodedError('SESSION_NOT_FOUND'))
  }

  /** What was admitted has started, or never will. */
  entered(sessionId: string): void {
    this.admitted.delete(sessionId)
    this.look()
  }

  /** True if the command was still waiting here, so it was never accepted. */
  cancel(commandId: string): boolean {
    const waiting = this.queue.find(
      (entry) => entry.commandId === commandId && entry.patience !== 'accepted' && entry.patience !== 'spare',
    )
    if (!waiting) return false
    this.queue = this.queue.filter((entry) => entry !== waiting)
    this.tellChanges()
    waiting.reject(new CodedError('COMMAND_EXPIRED', 'The command was cancelled while it waited for a free place.'))
    return true
  }

  /** Call whenever a host came, went or changed its state. */
  look(): void {
    for (;;) {
      const waiting = this.next()
      if (!waiting || !this.mayStart(waiting.sessionId)) break
      this.queue = this.queue.filter((entry) => entry !== waiting)
      this.admitted.add(waiting.sessionId)
      waiting.resolve(true)
    }
    this.tellChanges()
    this.room.look()
  }

  private next(): Waiting | undefined {
    const asked = this.asked()
    const first = asked.length > 0 ? asked : this.queue
    return first.find(({ sessionId }) => this.isLooked(sessionId)) ?? first[0]
  }

  private asked(): Waiting[] {
    return this.queue.filter(({ patience }) => patience !== 'spare')
  }

  private tellChanges(): void {
    if (this.telling) return
    if (this.queue.length > SHORT_LIST) {
      this.telling = setTimeout(() => {
        this.telling = null
        this.tellNow()
      }, TELL_EVERY_MS)
      this.telling.unref()
    } else this.tellNow()
  }

  private tellNow(): void {
    const waits = this.waits()
    const told = waits.commands.length === 0 ? '' : JSON.stringify(waits)
    if (told === this.told) return
    this.told = told
    this.tell(waits)
  }

  private mayStart(sessionId: string): boolean {
    const taken = this.taken()
    return taken.has(sessionId) || taken.size < this.limit()
  }

  private taken(): Set<string> {
    const running = this.running().filter(hasProgram)
    return new Set([...running.map((one) => one.sessionId), ...this.admitted])
  }
}

/** A host that ended its program, or never started one, takes no place. */
function hasProgram({ starting, state }: RunningSession): boolean {
  if (starting) return true
  if (state === null || state.status.status === 'ended') return false
  // A session that is about to resume by itself keeps its place.
  return state.status.status !== 'resumable' || state.status.resumes !== undefined
}
