/**
 * Reads the due commands of each machine one lookup after the other, so that an older result never replaces a newer
 * one. A lookup that has not begun serves every caller that asks for the same, because it will include their changes.
 */
export class CommandLookups {
  /** The end of the last requested lookup, by machine. */
  readonly #last = new Map<string, Promise<void>>()
  readonly #waiting = new Map<string, Promise<void>>()

  ask(agentId: string, sessionId: string | undefined, look: () => Promise<void>): Promise<void> {
    const key = `${agentId} ${sessionId ?? ''}`
    const waiting = this.#waiting.get(key)
    if (waiting) return waiting
    const before = this.#last.get(agentId)
    const mine = (before ?? Promise.resolve()).then(() => {
      this.#waiting.delete(key)
      return look()
    })
    const ended: Promise<void> = mine.then(
      () => this.#ended(agentId, ended),
      () => this.#ended(agentId, ended),
    )
    this.#waiting.set(key, mine)
    this.#last.set(agentId, ended)
    return mine
  }

  #ended(agentId: string, ended: Promise<void>): void {
    if (this.#last.get(agentId) === ended) this.#last.delete(agentId)
  }
}
