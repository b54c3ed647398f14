/**
 * The verdicts that one connection of an agent received for its sessions. A command is sent or called back only for a
 * session that has its verdict and is not stopped: after a rebase nobody could tell whether it ran (CMD-2, REB-1).
 *
 *   reported -- resume, unknown --> open <-- new events are stored --+
 *       |                            +------- SEQ_CONFLICT ----> stopped
 *       +------- rebase -------------------------------------------^
 *
 * A repeated report ends no stop. A conflict after new events that ended a stop begins none: its batch was sent before
 * the rebase.
 */
import type { Verdict } from '@roundhouse/backend-types'

interface Served {
  stopped: boolean
  rebased: boolean
}

export class ServedSessions {
  readonly #sessions = new Map<string, Served>()
  #complete = false

  /** `last`: the last page. A session that no page names has nothing that the hub lacks (LINK-2), or does not exist yet. */
  judged(verdicts: readonly Verdict[], last: boolean): void {
    for (const { sessionId, verdict } of verdicts) {
      if (verdict === 'deleted') this.#sessions.delete(sessionId)
      if (verdict !== 'resume' && verdict !== 'rebase') continue
      const served = this.#of(sessionId)
      served.stopped ||= verdict === 'rebase'
    }
    this.#complete ||= last
  }

  wasJudged(sessionId: string): boolean {
    return this.#sessions.has(sessionId)
  }

  takesCommands(sessionId: string): boolean {
    const served = this.#sessions.get(sessionId)
    return served ? !served.stopped : this.#complete
  }

  isStopped(sessionId: string): boolean {
    return this.#sessions.get(sessionId)?.stopped === true
  }

  conflicted(sessionId: string): void {
    const served = this.#of(sessionId)
    served.stopped ||= !served.rebased
  }

  /** New events are stored. True if that ended a stop. */
  stored(sessionId: string): boolean {
    const served = this.#sessions.get(sessionId)
    if (!served?.stopped) return false
    Object.assign(served, { stopped: false, rebased: true })
    return true
  }

  /** The events that ended the stop did not reach the disk. */
  stopAgain(sessionId: string): void {
    Object.assign(this.#of(sessionId), { stopped: true, rebased: false })
  }

  /** The session rests, so the general rule applies and needs no entry. */
  rests(sessionId: string): void {
    const served = this.#sessions.get(sessionId)
    if (this.#complete && served && !served.stopped && !served.rebased) this.#sessions.delete(sessionId)
  }

  /** The session is deleted, so nothing of its log matters any more. */
  forget(sessionId: string): void {
    this.#sessions.delete(sessionId)
  }

  #of(sessionId: string): Served {
    const served = this.#sessions.get(sessionId) ?? { stopped: false, rebased: false }
    this.#sessions.set(sessionId, served)
    return served
  }
}
