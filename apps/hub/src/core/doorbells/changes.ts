/**
 * Collects changes and rings once per turn of the event loop. Changes that people wait for ring at once. Changes that
 * only move a line of text (a new last line, a higher head) wait for the next tick, so a talkative session does not
 * redraw every page.
 */

import type { Rev } from '../common/revs'
import type { Audience, Doorbells } from './doorbells'

/** How many sessions ring at once. Above this they ring in turns, and the inbox step names none. */
const MOST_AT_ONCE = 200

export class Changes {
  readonly #doorbells: Doorbells
  readonly #inboxRev: Rev
  readonly #now = new Set<string>()
  readonly #later = new Set<string>()
  readonly #agents = new Set<string>()
  #asked: Audience[] = []
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
    this.#arm()
  }

  /** What these peers ask changed. */
  asks(of: readonly Audience[]): void {
    this.#asked.push(...of)
    this.#arm()
  }

  agent(agentId: string): void {
    this.#agents.add(agentId)
    this.#arm()
  }

  removed(sessionId: string): void {
    this.#doorbells.ring('sessionRemoved', { sessionId })
    this.session(sessionId)
  }

  tick(): void {
    for (const sessionId of this.#later) this.#now.add(sessionId)
    if (this.#now.size > 0) this.#flush()
  }

  #arm(): void {
    if (this.#armed) return
    this.#armed = true
    setImmediate(() => this.#flush())
  }

  #flush(): void {
    this.#armed = false
    const agentIds = [...this.#agents]
    this.#agents.clear()
    for (const agentId of agentIds) this.#doorbells.ring('agent', { agentId })
    const sessionIds = [...this.#now]
    this.#now.clear()
    for (const sessionId of sessionIds) this.#later.delete(sessionId)
    const of = this.#asked
    this.#asked = []
    if (sessionIds.length + of.length === 0) return
    const few = sessionIds.length <= MOST_AT_ONCE
    if (few) this.#ring(sessionIds)
    else void this.#ringInTurns(sessionIds)
    this.#doorbells.ring('inbox', { rev: this.#inboxRev.next(), sessionIds: few ? sessionIds : null, of })
  }

  #ring(sessionIds: readonly string[]): void {
    for (const sessionId of sessionIds) this.#doorbells.ring('session', { sessionId })
  }

  /** A machine with thousands of sessions connected or left. Other work runs between the rings. */
  async #ringInTurns(sessionIds: readonly string[]): Promise<void> {
    for (let at = 0; at < sessionIds.length; at += MOST_AT_ONCE) {
      this.#ring(sessionIds.slice(at, at + MOST_AT_ONCE))
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
}
