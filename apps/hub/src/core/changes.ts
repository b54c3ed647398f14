/**
 * Gathers what changed and rings once per turn of the event loop. Changes that people wait for ring at once; those that
 * merely move a line of text (a new last line, a higher head) wait for the next tick, so a talkative session does not
 * redraw every page (P4).
 */
import type { Doorbells } from './doorbells'
import type { Rev } from './revs'

/** Beyond this many at once one jump of the rev is cheaper: everybody fetches the inbox again. */
const INBOX_STEP_LIMIT = 200

export class Changes {
  readonly #doorbells: Doorbells
  readonly #inboxRev: Rev
  readonly #now = new Set<string>()
  readonly #later = new Set<string>()
  #armed = false

  constructor(doorbells: Doorbells, inboxRev: Rev) {
    this.#doorbells = doorbells
    this.#inboxRev = inboxRev
  }

  session(sessionId: string, when: 'now' | 'later' = 'now'): void {
    if (when === 'later') {
      this.#later.add(sessionId)
      return
    }
    this.#now.add(sessionId)
    if (this.#armed) return
    this.#armed = true
    setImmediate(() => this.#flush())
  }

  agent(agentId: string): void {
    this.#doorbells.ring('agent', { agentId })
  }

  removed(sessionId: string): void {
    this.#doorbells.ring('sessionRemoved', { sessionId })
    this.session(sessionId)
  }

  tick(): void {
    for (const sessionId of this.#later) this.#now.add(sessionId)
    if (this.#now.size > 0) this.#flush()
  }

  #flush(): void {
    this.#armed = false
    const sessionIds = [...this.#now]
    this.#now.clear()
    for (const sessionId of sessionIds) this.#later.delete(sessionId)
    if (sessionIds.length === 0) return
    for (const sessionId of sessionIds) this.#doorbells.ring('session', { sessionId })
    const few = sessionIds.length <= INBOX_STEP_LIMIT
    this.#doorbells.ring('inbox', { rev: this.#inboxRev.next(few ? 1 : 2), sessionIds: few ? sessionIds : [] })
  }
}
