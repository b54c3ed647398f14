/**
 * Which sessions somebody looks at: what concerns them goes before what nobody waits for, on the way to their machine and on
 * the machine itself (CMD-7, CMD-8). A machine hears of no more than a hundred: those of each person in turn, so that nobody who
 * looks at many crowds out what another looks at.
 */

import type { Presence } from '../machines/presence'

/** As many as a frame may have. */
const MOST = 100
/** A machine hears of a change at once, and of those that follow it together. */
const AGAIN_MS = 200

export interface AttentionDeps {
  presence: Presence
  /** What waits for its machine goes first from now on. */
  prefer(sessionId: string): void
}

export class Attention {
  /** What each person looks at, each with its machine; the latest last. */
  readonly #lookers = new Map<string, Map<string, { agentId: string; count: number }>>()
  /** By how many people. */
  readonly #looked = new Map<string, number>()
  /** Machines that hear of nothing more for the moment, and whether there is something to hear. */
  readonly #told = new Map<string, { again: boolean }>()

  constructor(private readonly deps: AttentionDeps) {}

  /** Once for each page. `agentId`: whose session it is. */
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

  /** At the hello of the machine. */
  tell(agentId: string): void {
    const connected = this.deps.presence.current(agentId)
    if (connected?.ready) connected.link.attention(this.#fairly(agentId))
  }

  /** Those who come and go within one turn of the event loop are one change. */
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

  /** The latest of each person, then the one before of each, and so on. */
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
