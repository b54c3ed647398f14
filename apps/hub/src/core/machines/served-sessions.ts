/**
 * What one connection of an agent was told of its sessions. A command goes out, or is called back, only for a session
 * that has its verdict and is not stopped: behind a rebase nobody could tell whether it ran (CMD-2, REB-1).
 *
 *   reported -- resume, unknown --> open <-- new events are stored --+
 *       |                            +------- SEQ_CONFLICT ----> stopped
 *       +------- rebase -------------------------------------------^
 *
 * A report that is repeated ends no stop. A conflict that follows on new events behind a stop begins none: its batch was
 * sent before the rebase.
 */
import type { Verdict } from '@roundhouse/backend-types'

interface Served {
  stopped: boolean
  rebased: boolean
}

export class ServedSessions {
  readonly #sessions = new Map<string, Served>()
  #complete = false

  /** `last` is the last page: what no page names has nothing that the hub lacks (LINK-2), or is not made yet. */
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

  /** New events are stored. True when that ended a stop. */
  stored(sessionId: string): boolean {
    const served = this.#sessions.get(sessionId)
    if (!served?.stopped) return false
    Object.assign(served, { stopped: false, rebased: true })
    return true
  }

  /** What ended the stop did not reach the disk. */
  stopAgain(sessionId: string): void {
    Object.assign(this.#of(sessionId), { stopped: true, rebased: false })
  }

  /** It has come to rest: what holds of every session needs no entry. */
  rests(sessionId: string): void {
    const served = this.#sessions.get(sessionId)
    if (this.#complete && served && !served.stopped && !served.rebased) this.#sessions.delete(sessionId)
  }

  /** Deleted: nothing of its log matters any more. */
  forget(sessionId: string): void {
    this.#sessions.delete(sessionId)
  }

  #of(sessionId: string): Served {
    const served = this.#sessions.get(sessionId) ?? { stopped: false, rebased: false }
    this.#sessions.set(sessionId, served)
    return served
  }
}
