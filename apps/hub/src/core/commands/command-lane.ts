/**
 * The way to one machine (CMD-7): what is to be sent to it, in which order, and how much of it is on its way. What belongs
 * to a running turn has a way of its own, so that no crowd of prompts stands before a decision; so has what ends a session's
 * work, so that it arrives where the session answers nothing else. Of one session few are on their way: one that does not
 * answer keeps no decision on another. Sessions that somebody looks at go first. Pure; who sends, and what becomes of it, is
 * the pump's.
 */
export type Way = 'ordered' | 'turn' | 'end'

export interface Due {
  commandId: string
  sessionId: string
  /** `ordered`: one after the other, in the order of its session. The others stand outside of that. */
  way: Way
}

/** At once, on each way. */
export const LANE_WIDTH = 16
/** And of one session, outside its order. */
export const OF_ONE_SESSION = 2

export class CommandLane {
  /** Each session's one ordered command, in the order in which they became due. */
  readonly #ordered = new Map<string, Due>()
  readonly #urgent = new Map<string, Due>()
  readonly #preferred = new Set<string>()
  readonly #onTheWay = new Map<string, Due>()
  readonly #resting = new Set<string>()
  /** The machine has them, and says that they wait there for a free place. */
  #held: ReadonlySet<string> = new Set()

  /** What is due of this session now, in place of what was. */
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

  /** The next that may leave, and it counts as on its way. */
  take(): Due | undefined {
    const due = this.#takeUrgent('end') ?? this.#takeUrgent('turn') ?? this.#takeOrdered()
    if (due) this.#onTheWay.set(due.commandId, due)
    return due
  }

  /** Answered, or given up. `rests`: it is tried again, but not at once. */
  done(commandId: string, rests: boolean): void {
    this.#onTheWay.delete(commandId)
    if (rests) this.#resting.add(commandId)
  }

  /** Those that rested, and what they are is to be read anew. The machine keeps what it holds. */
  wake(overdue: ReadonlySet<string>): boolean {
    const before = this.#resting.size
    for (const commandId of this.#resting) {
      if (!this.#held.has(commandId) || overdue.has(commandId)) this.#resting.delete(commandId)
    }
    return this.#resting.size < before
  }

  /** A new connection. */
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
