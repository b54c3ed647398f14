/**
 * LINK-5: a host's account leaves the memory when its session rests. What it says beyond the events, why no program runs
 * any more, goes into the row first, so that it also outlives this process.
 */
import { isDeepStrictEqual } from 'node:util'
import type { HostState } from '@roundhouse/backend-types'
import { type SessionProjection, viewStatus } from '@roundhouse/delivery'
import type { Context } from './context'
import { fence } from './ingest'
import type { LinkFacts } from './link-facts'
import { streamChange } from './session-row'
import { isTold } from './storage-port'
import { projectionOf } from './stored-projection'

/** After each account and each batch; cheap while something goes on. */
export function letRest(context: Context, facts: LinkFacts, sessionId: string, projection: SessionProjection): void {
  const state = context.memory.state(sessionId)
  if (!state || !isQuiet(state) || state.atSeq > projection.seq || projection.turnId !== null) return
  if (isDeepStrictEqual(viewStatus(projection, null), state.status)) forget(context, facts, sessionId)
  else if (withRest(projection, state)) {
    keepRest(context, facts, state).catch((error) => {
      if (!isTold(error)) context.log.warn({ sessionId, error: String(error) }, 'why a session rests is not stored yet')
    })
  }
}

const isQuiet = ({ status, turnId, queue, queueHeld, requests, background = [] }: HostState) =>
  !(status.status === 'resumable' && status.resumes) &&
  turnId === undefined &&
  queue.length === 0 &&
  !queueHeld &&
  requests.length === 0 &&
  background.length === 0

/** Null where the account says something else than why the program is gone. */
function withRest(projection: SessionProjection, { status }: HostState): SessionProjection | null {
  if (status.status !== 'resumable' || projection.ended) return null
  return { ...projection, exit: { procId: '', why: status.why, error: status.error ?? null } }
}

async function keepRest(context: Context, facts: LinkFacts, state: HostState): Promise<void> {
  const { ingest, memory } = context
  const { sessionId } = state
  const isKept = await ingest.run(1, (tx) => {
    const row = tx.session(sessionId)
    if (!row || fence(tx, facts) || memory.state(sessionId) !== state) return false
    const before = projectionOf(row)
    const projection = before.turnId === null && before.seq >= state.atSeq ? withRest(before, state) : null
    if (!projection) return false
    const { logId, committed, updatedAt } = row
    const change = streamChange(row, projection, { logId: logId ?? '', committed, now: updatedAt })
    tx.updateStream(row.pk, { ...change, logId })
    return true
  })
  if (isKept && memory.state(sessionId) === state) forget(context, facts, sessionId)
}

function forget({ memory }: Context, { served }: LinkFacts, sessionId: string): void {
  if (memory.rests(sessionId)) served.rests(sessionId)
}
