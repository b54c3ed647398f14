/**
 * What a part of the session says to parts that are made after it. Everything else it gets at its creation. A signal is
 * heard at once, in the same step; what is said before anybody listens is heard first.
 */
import type { ByeReason } from '../host-contract/messages'
import type { RunningBackend } from './program/program-runner'

export type Signal =
  /** Anything that an account of the session tells. */
  | { type: 'changed' }
  /** Somebody is here, or the program lives. */
  | { type: 'activity' }
  /** Whether the session goes on by itself is another thing now. */
  | { type: 'wish_changed' }
  /** A program runs, and has said nothing yet. */
  | { type: 'spawned'; running: RunningBackend }
  /** A program had to make room for another one. */
  | { type: 'replaced'; procId: string }
  /** No turn runs: the next prompt may begin. */
  | { type: 'turn_over' }
  | { type: 'shut_down'; why: ByeReason }

export class Signals {
  private hear: ((signal: Signal) => void) | null = null
  private readonly early: Signal[] = []

  readonly changed = (): void => this.say({ type: 'changed' })

  say(signal: Signal): void {
    if (this.hear) this.hear(signal)
    else this.early.push(signal)
  }

  listen(hear: (signal: Signal) => void): void {
    this.hear = hear
    for (const signal of this.early.splice(0)) hear(signal)
  }
}
