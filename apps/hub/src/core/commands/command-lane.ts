/**
 * The queue of commands for one machine (CMD-7): what to send, in which order, and how much at once. Commands for a
 * running turn have a way of their own, so that a crowd of prompts never delays a decision. Commands that end a
 * session's work have another, so that they arrive even if the session answers nothing else. Only a few commands of one
 * session are in flight, so a session that does not answer cannot block decisions of others. Sessions that somebody is
 * viewing go first. Pure; the pump sends, and handles the results.
 */
export type Way = 'ordered' | 'turn' | 'end'

export interface Due {
  commandId: string
  sessionId: string
  /** `ordered` commands are sent one after the other, in the order of their session. The other ways are outside that order. */
  way: Way
}

/** How many commands may be in flight on each way. */
export const LANE_WIDTH = 16
/** How many of one session may be in flight outside its order. */
export const OF_ONE_SESSION = 2

export class CommandLane {
  /** The one ordered command of each session, in the order in which they became due. */
  readonly #ordered = new Map<string, Due>()
  readonly #urgent = new Map<string, Due>()
  readonly #preferred = new Set<string>()
  readonly #onTheWay = new Map<string, Due>()
  readonly #resting = new Set<string>()
  /** Commands that the machine holds until a place is free. */
  #held: ReadonlySet<string> = new Set()

  /** Replaces what is due for this session. */
  put(sessionId: string, due: readonly Due[], preferred: boolean): void {
    this.#ordered.delete(sessionId)
    for (const [commandId, known] of this.#urgent) if (known.sessionId === sessionId) this.#urgent.delete(commandId)
    for (const one of due) {
      if (this.#onTheWay.has(one.commandId) || this.#resting.has(one.commandId)) continue
      if (one.way === 'ordered') this.#ordered.set(sessionId, one)
      else this.#urgent.set(one.commandId, one)
    }
    if (preferred) this.prefer(sessionId)
  }

  prefer(sessionId: string): void {
    if (this.#ordered.has(sessionId)) this.#preferred.add(sessionId)
  }

  /** Returns the next command to send and counts it as in flight. */
  take(): Due | undefined {
    const due = this.#takeUrgent('end') ?? this.#takeUrgent('turn') ?? this.#takeOrdered()
    if (due) this.#onTheWay.set(due.commandId, due)
    return due
  }

  /** The command was answered or given up. `rests`: it is sent again, but not at once. */
  done(commandId: string, rests: boolean): void {
    this.#onTheWay.delete(commandId)
    if (rests) this.#resting.add(commandId)
  }

  /** Wakes resting commands, whose state must then be read again. The machine keeps what it holds. */
  wake(overdue: ReadonlySet<string>): boolean {
    const before = this.#resting.size
    for (const commandId of this.#resting) {
      if (!this.#held.has(commandId) || overdue.has(commandId)) this.#resting.delete(commandId)
    }
    return this.#resting.size < before
  }

  /** Called for a new connection. */
  begin(): void {
    this.#resting.clear()
    this.#held = new Set()
  }

  hold(commandIds: Iterable<string>): void {
    this.#held = new Set(commandIds)
  }

  get isEmpty(): boolean {
    return this.#ordered.size + this.#urgent.size + this.#onTheWay.size + this.#resting.size === 0
  }

  #takeUrgent(way: Way): Due | undefined {
    if (this.#count((one) => one.way === way) >= LANE_WIDTH) return undefined
    for (const due of this.#urgent.values()) {
      if (due.way !== way || this.#isFull(due)) continue
      this.#urgent.delete(due.commandId)
      return due
    }
    return undefined
  }

  #isFull({ sessionId, way }: Due): boolean {
    return this.#count((one) => one.sessionId === sessionId && one.way === way) >= OF_ONE_SESSION
  }

  #takeOrdered(): Due | undefined {
    const onTheWay = this.#count((one) => one.way === 'ordered' && !this.#held.has(one.commandId))
    if (onTheWay >= LANE_WIDTH) return undefined
    const due = this.#firstPreferred() ?? this.#ordered.values().next().value
    if (due) this.#ordered.delete(due.sessionId)
    return due
  }

  #firstPreferred(): Due | undefined {
    for (const sessionId of this.#preferred) {
      this.#preferred.delete(sessionId)
      const due = this.#ordered.get(sessionId)
      if (due) return due
    }
    return undefined
  }

  #count(which: (one: Due) => boolean): number {
    let count = 0
    for (const one of this.#onTheWay.values()) if (which(one)) count += 1
    return count
  }
}
