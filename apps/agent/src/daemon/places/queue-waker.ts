/**
 * Starts an accepted prompt as soon as its session has a place among the running programs, without another request (CMD-2:
 * accepted means that it will be done). Its host need not run until then: a note in the session's folder tells the next
 * daemon that the prompt waits. If hosts die while starting it, the session is woken at most three times until a turn
 * begins.
 */

import { type HostState, toCodedError } from '@roundhouse/backend-types'
import { waitingCommand } from '../hosts/waiting-command'

const MOST_TRIES = 3
const RETRY_MS = 5_000
/**
 * Errors that no host died of, and that are no full disk: another process still holds the session, or its log is not
 * readable at the moment.
 */
export const notNow: ReadonlySet<string> = new Set(['ALREADY_RUNNING', 'STORAGE_UNAVAILABLE'])

export interface WakerPorts {
  /** Waits for a free place among the running programs. False: it was withdrawn. */
  enter(sessionId: string, commandId: string): Promise<boolean>
  entered(sessionId: string): void
  withdraw(sessionId: string): void
  /** Starts the session's host, or gives a place to a running one, which then plays its queue. */
  start(sessionId: string): Promise<unknown>
  /** Records the prompt on disk for the next daemon. */
  note(sessionId: string, commandId: string): void
  /** FLOW-4: it could not start because the disk takes no writes, or the machine has no room for another process. */
  isPassing(error: unknown): boolean
  /** Removes that record. */
  forget(sessionId: string): void
  log(line: string): void
}

export class QueueWaker {
  private readonly tries = new Map<string, number>()
  private readonly waiting = new Set<string>()
  private readonly retries = new Map<string, NodeJS.Timeout>()
  private stopped = false
  /** Wakes that came before `release`; null after it. */
  private held: Map<string, string> | null = null

  constructor(private readonly ports: WakerPorts) {}

  /** Nothing begins before `release`. */
  hold(): void {
    this.held = new Map()
  }

  release(): void {
    const { held } = this
    this.held = null
    for (const [sessionId, commandId] of held ?? []) void this.wake(sessionId, commandId)
  }

  sessions(): string[] {
    return [...this.waiting]
  }

  /** The daemon leaves; the next one handles what waits. */
  stop(): void {
    this.stopped = true
  }

  /** Nothing of this session is left here. */
  erased(sessionId: string): void {
    this.ports.withdraw(sessionId)
    this.ports.forget(sessionId)
    this.tries.delete(sessionId)
    this.held?.delete(sessionId)
    clearTimeout(this.retries.get(sessionId))
    this.retries.delete(sessionId)
  }

  /** Takes the state in which a host that closed this session left it. */
  async left(state: HostState): Promise<void> {
    const { sessionId } = state
    const commandId = waitingCommand(state)
    if (commandId === null || this.waiting.has(sessionId)) return
    if (this.mayTry(sessionId)) await this.wake(sessionId, commandId)
  }

  /** Takes a host's account and whether it may start programs, or what a host that is gone left in its log. */
  seen(state: HostState, { place, lives }: { place: boolean; lives: boolean }): void {
    const { sessionId, turnId } = state
    if (turnId !== undefined) this.tries.delete(sessionId)
    const commandId = place ? null : waitingCommand(state)
    if (commandId !== null) {
      void (lives ? this.wake(sessionId, commandId) : this.left(state))
      return
    }
    this.ports.forget(sessionId)
    if (this.waiting.has(sessionId) && !place) this.ports.withdraw(sessionId)
  }

  /** The session's prompt waits here, even if another host ran before. */
  async wake(sessionId: string, commandId: string): Promise<void> {
    if (this.waiting.has(sessionId) || this.stopped) return
    if (this.held) {
      this.held.set(sessionId, commandId)
      return
    }
    this.waiting.add(sessionId)
    try {
      this.ports.note(sessionId, commandId)
      if (await this.ports.enter(sessionId, commandId)) await this.ports.start(sessionId)
    } catch (error) {
      this.ports.log(`${sessionId}: could not start its waiting prompt: ${toCodedError(error).message}`)
      const harmless = this.ports.isPassing(error) || notNow.has(toCodedError(error).code)
      this.later(sessionId, () => (harmless || this.mayTry(sessionId)) && void this.wake(sessionId, commandId))
    } finally {
      this.waiting.delete(sessionId)
      this.ports.entered(sessionId)
    }
  }

  private later(sessionId: string, work: () => void): void {
    clearTimeout(this.retries.get(sessionId))
    const timer = setTimeout(() => {
      this.retries.delete(sessionId)
      work()
    }, RETRY_MS)
    this.retries.set(sessionId, timer.unref())
  }

  private mayTry(sessionId: string): boolean {
    const tries = this.tries.get(sessionId) ?? 0
    if (tries >= MOST_TRIES) return false
    this.tries.set(sessionId, tries + 1)
    return true
  }
}
