/**
 * Runs as their logs have them (RUN-1). What was read of a log is kept for a while, so that whoever asks again pays only for what
 * came meanwhile.
 */
import { parseEventBody, type SessionEventKind } from '@roundhouse/backend-types'
import { emptyRun, foldRun, type RunLog } from '@roundhouse/runtime/run'
import type { Reads } from '../ports/stores'

interface RunLogsDeps {
  reads: Pick<Reads, 'events'>
  /** Events of the others count by their numbers alone. */
  kinds: ReadonlySet<SessionEventKind>
  /** How many are kept. One that has not been asked for longest makes room. */
  most: number
}

/** One page is read and folded without a break. */
export const RUN_PAGE = { maxEvents: 200, maxBytes: 262_144 }

/** What the end of a run can be told from. */
export const endKinds: ReadonlySet<SessionEventKind> = new Set([
  'turn_started',
  'turn_completed',
  'session_ended',
  'gap',
])

/** What its result is made of. */
export const resultKinds: ReadonlySet<SessionEventKind> = new Set([
  ...endKinds,
  'session_started',
  'assistant_text',
  'permission_requested',
  'permission_resolved',
  'process_exited',
  'published',
  'session_request',
])

export class RunLogs {
  readonly #deps: RunLogsDeps
  readonly #kept = new Map<string, RunLog>()

  constructor(deps: RunLogsDeps) {
    this.#deps = deps
  }

  /** Up to what is stored now. */
  async read(sessionId: string): Promise<RunLog> {
    const { reads, kinds } = this.#deps
    let run = this.#kept.get(sessionId) ?? emptyRun
    while (!run.done) {
      const page = await reads.events.after(sessionId, run.seq, RUN_PAGE)
      for (const { seq, at, kind, body } of page) {
        const event = kinds.has(kind as SessionEventKind) ? parseEventBody(body) : null
        run = foldRun(run, event, { seq, at }).run
      }
      if (page.length === 0) break
    }
    this.#keep(sessionId, run)
    return run
  }

  forget(sessionId: string): void {
    this.#kept.delete(sessionId)
  }

  #keep(sessionId: string, run: RunLog): void {
    this.#kept.delete(sessionId)
    this.#kept.set(sessionId, run)
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > this.#deps.most && oldest !== undefined) this.#kept.delete(oldest)
  }
}
