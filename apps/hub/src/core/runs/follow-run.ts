/**
 * The events of a run behind a cursor, as they are stored, until it is over (RUN-2). Each comes once: all are made from the log
 * again, and those up to the cursor are left out. An empty lot says that nothing came for a while.
 */
import { CodedError, parseEventBody, type RunEvent } from '@roundhouse/backend-types'
import { type AgentLogEvent, cursorOf, emptyRun, foldRun, isAfter, type RunPlace } from '@roundhouse/runtime/run'
import type { Reads } from '../ports/stores'
import type { Views } from '../views/views'
import type { RunBell } from './run-bells'
import { RUN_PAGE } from './run-logs'
import { endedBeside, eventsBeside } from './run-view'

export interface FollowDeps {
  reads: Pick<Reads, 'events'>
  views: Pick<Views, 'view'>
  /** Called once somebody reads: what is never begun would never be closed. */
  listen: () => RunBell
  /** Throws where the caller may not read the run any more (AUTH-1). */
  check: () => Promise<void>
}

/** Milliseconds after which a connection on which nothing happens is used. */
export const QUIET_MS = 15_000

export async function* followRun(
  { reads, views, listen, check }: FollowDeps,
  runId: string,
  after: RunPlace | null,
): AsyncGenerator<RunEvent[]> {
  const wanted = (events: readonly AgentLogEvent[]): RunEvent[] =>
    events.flatMap((one) => (after && !isAfter(one, after) ? [] : [{ cursor: cursorOf(one), ...one.event }]))
  let run = emptyRun
  const bell = listen()
  try {
    for (;;) {
      await check()
      const page = await reads.events.after(runId, run.seq, RUN_PAGE)
      const told = page.flatMap(({ seq, at, body }) => {
        const folded = foldRun(run, parseEventBody(body), { seq, at })
        run = folded.run
        return wanted(folded.events)
      })
      if (told.length > 0) yield told
      if (run.done) return
      if (page.length > 0) continue
      const view = await views.view(runId)
      if (!view) throw new CodedError('SESSION_DELETED')
      if (view.head > run.seq) continue
      const fact = endedBeside(run, view.status)
      if (fact) {
        yield wanted(eventsBeside(run, fact))
        return
      }
      if (!(await bell.next(QUIET_MS))) yield []
    }
  } finally {
    bell.close()
  }
}
