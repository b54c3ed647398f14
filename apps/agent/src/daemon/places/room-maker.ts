/**
 * Makes room for waiting sessions: asks idle programs to leave until one does. A host may refuse because of work that its
 * state does not show, or may not answer; the others are asked all the same.
 */

import type { HostState } from '@roundhouse/backend-types'
import type { RunningSession } from '../hosts/running-session'

export interface RoomMakerPorts {
  running(): RunningSession[]
  /** True if a session waits for a place. */
  isNeeded(): boolean
  /** A program has left. */
  left(): void
}

/** If a host has not left by then, the next one is asked as well. */
const NEXT_MS = 2_000
/** A host that refused may have become free without any change of its state. */
const AGAIN_MS = 5_000

export class RoomMaker {
  private isAsking = false
  /** Hosts that have not answered yet. */
  private readonly asked = new Set<string>()
  /** Hosts that refused, with their state at that time. */
  private readonly refused = new Map<string, HostState>()
  private again: NodeJS.Timeout | null = null

  constructor(
    private readonly ports: RoomMakerPorts,
    private readonly nextMs = NEXT_MS,
    private readonly againMs = AGAIN_MS,
  ) {}

  /** Call whenever a session waits, and whenever a host came, went or changed its state. */
  look(): void {
    if (this.isAsking || !this.ports.isNeeded()) return
    const one = this.next()
    if (one) void this.ask(one)
    else this.lookAgain()
  }

  /** Lasts until the host has answered, or until the others need no longer wait for it. */
  private async ask({ sessionId, state, retire }: RunningSession): Promise<void> {
    this.isAsking = true
    this.asked.add(sessionId)
    const answer = retire()
      .catch(() => false)
      .then((left) => {
        this.asked.delete(sessionId)
        if (left) this.ports.left()
        else if (state) this.refused.set(sessionId, state)
        this.look() // the others may have been asked without success before this one refused
      })
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, this.nextMs)
    })
    await Promise.race([answer, late])
    clearTimeout(timer)
    this.isAsking = false
    this.look()
  }

  private next(): RunningSession | undefined {
    const running = this.ports.running()
    for (const sessionId of this.refused.keys())
      if (!running.some((one) => one.sessionId === sessionId)) this.refused.delete(sessionId)
    return running.find(
      ({ sessionId, starting, state }) =>
        !starting &&
        state !== null &&
        isIdle(state) &&
        !this.asked.has(sessionId) &&
        this.refused.get(sessionId)?.rev !== state.rev,
    )
  }

  private lookAgain(): void {
    if (this.refused.size === 0) return
    this.again ??= setTimeout(() => {
      this.again = null
      this.refused.clear()
      this.look()
    }, this.againMs).unref()
  }
}

/**
 * Prompts of a held queue wait for a person, and can do so without a program. A session that resumes by itself can do so
 * later (RES-3).
 */
function isIdle({ status, queue, queueHeld, requests }: HostState): boolean {
  const pauses = status.status === 'resumable' && status.resumes !== undefined
  return (status.status === 'idle' || pauses) && (queue.length === 0 || queueHeld) && requests.length === 0
}
