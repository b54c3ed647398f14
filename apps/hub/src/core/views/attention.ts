/**
 * Tracks which sessions people are viewing, so that their commands go first on the way to the machine and on the
 * machine itself (CMD-7, CMD-8). A machine gets at most a hundred, taken in turn from each person, so that a person who
 * views many sessions does not push out those of others.
 */

import type { Presence } from '../machines/presence'

/** The limit of a frame. */
const MOST = 100
/** A machine gets the first change at once, and the following changes together. */
const AGAIN_MS = 200

export interface AttentionDeps {
  presence: Presence
  /** From now on the commands of this session go first. */
  prefer(sessionId: string): void
}

export class Attention {
  /** The sessions that each person is viewing, with their machines; the latest last. */
  readonly #lookers = new Map<string, Map<string, { agentId: string; count: number }>>()
  /** By how many people each session is viewed. */
  readonly #looked = new Map<string, number>()
  /** Machines that get no update at the moment, and whether one is due. */
  readonly #told = new Map<string, { again: boolean }>()

  constructor(private readonly deps: AttentionDeps) {}

  /** Called once per page. `agentId`: the machine of the session. */
  begins(sessionId: string, agentId: string, userId: string): void {
    const { prefer } = this.deps
    const mine = this.#lookers.get(userId) ?? new Map<string, { agentId: string; count: number }>()
    const known = mine.get(sessionId)
    mine.delete(sessionId)
    mine.set(sessionId, { agentId, count: (known?.count ?? 0) + 1 })
    this.#lookers.set(userId, mine)
    if (known) return
    const others = this.#looked.get(sessionId) ?? 0
    this.#looked.set(sessionId, others + 1)
    if (others > 0) return
    prefer(sessionId)
    this.#changed(agentId)
  }

  ends(sessionId: string, userId: string): void {
    const mine = this.#lookers.get(userId)
    const known = mine?.get(sessionId)
    if (!mine || !known) return
    known.count -= 1
    if (known.count > 0) return
    mine.delete(sessionId)
    if (mine.size === 0) this.#lookers.delete(userId)
    const others = (this.#looked.get(sessionId) ?? 1) - 1
    if (others > 0) {
      this.#looked.set(sessionId, others)
      return
    }
    this.#looked.delete(sessionId)
    this.#changed(known.agentId)
  }

  has(sessionId: string): boolean {
    return this.#looked.has(sessionId)
  }

  /** Called at the hello of the machine. */
  tell(agentId: string): void {
    const connected = this.deps.presence.current(agentId)
    if (connected?.ready) connected.link.attention(this.#fairly(agentId))
  }

  /** Changes within one turn of the event loop are one update. */
  #changed(agentId: string): void {
    const told = this.#told.get(agentId)
    if (told) {
      told.again = true
      return
    }
    this.#told.set(agentId, { again: false })
    setImmediate(() => {
      this.tell(agentId)
      setTimeout(() => {
        const again = this.#told.get(agentId)?.again
        this.#told.delete(agentId)
        if (again) this.#changed(agentId)
      }, AGAIN_MS).unref()
    })
  }

  /** The latest session of each person, then the one before of each, and so on. */
  #fairly(agentId: string): string[] {
    const lines = [...this.#lookers.values()].map((looked) =>
      [...looked].flatMap(([sessionId, one]) => (one.agentId === agentId ? [sessionId] : [])).reverse(),
    )
    const fair = new Set<string>()
    const longest = Math.max(0, ...lines.map((line) => line.length))
    for (let i = 0; i < longest && fair.size < MOST; i += 1) {
      for (const line of lines) if (line[i] !== undefined && fair.size < MOST) fair.add(line[i] as string)
    }
    return [...fair]
  }
}
