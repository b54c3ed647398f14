/**
 * LINK-5: a host's account leaves the memory when its session rests. What it says beyond the events, why no program runs
 * any more, goes into the row first, so that it also outlives this process.
 */

import { isDeepStrictEqual } from 'node:util'
import type { HostState } from '@roundhouse/backend-types'
import { type SessionProjection, viewStatus } from '@roundhouse/delivery'
import type { Log } from '../common/log'
import { fence } from '../ingest/ingest'
import { streamChange } from '../ingest/session-row'
import { projectionOf } from '../ingest/stored-projection'
import { isTold } from '../ports/storage-port'
import type { StreamWriter } from '../ports/stream-writer'
import { deciding } from '../stream/working-set'
import type { SessionMemory } from '../views/session-memory'
import type { LinkFacts } from './link-facts'

export interface SessionRestDeps {
  ingest: StreamWriter
  log: Log
  memory: SessionMemory
}

/** After each account and each batch; cheap while something goes on. */
export function letRest(
  deps: SessionRestDeps,
  facts: LinkFacts,
  sessionId: string,
  projection: SessionProjection,
): void {
  const state = deps.memory.state(sessionId)
  if (!state || state.atSeq > projection.seq) return
  // What waited in a session that ended is told not to come (CMD-5): its account has nothing more to say.
  const isOver = projection.ended !== null
  if (!isOver && (!isQuiet(state) || projection.turnId !== null)) return
  if (isOver || isDeepStrictEqual(viewStatus(projection, null), state.status)) forget(deps, facts, sessionId)
  else if (withRest(projection, state)) {
    keepRest(deps, facts, state).catch((error) => {
      if (!isTold(error)) deps.log.warn({ sessionId, error: String(error) }, 'why a session rests is not stored yet')
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

async function keepRest(deps: SessionRestDeps, facts: LinkFacts, state: HostState): Promise<void> {
  const { ingest, memory } = deps
  const { sessionId } = state
  const decide = deciding((set) => {
    const row = set.sessions.find(sessionId)
    if (!row || fence(set, facts) || memory.state(sessionId) !== state) return false
    const before = projectionOf(row)
    const projection = before.turnId === null && before.seq >= state.atSeq ? withRest(before, state) : null
    if (!projection) return false
    const { logId, committed, updatedAt } = row
    const change = streamChange(row, projection, { logId: logId ?? '', committed, now: updatedAt })
    set.sessions.update(sessionId, { ...change, logId })
    return true
  })
  const isKept = await ingest.change({ fences: [facts.agentId], sessions: [{ sessionId }] }, decide)
  if (isKept && memory.state(sessionId) === state) forget(deps, facts, sessionId)
}

function forget({ memory }: SessionRestDeps, { served }: LinkFacts, sessionId: string): void {
  if (memory.rests(sessionId)) served.rests(sessionId)
}
