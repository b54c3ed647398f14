/**
 * LINK-5: drops a host's account from memory when its session rests. The part that no event has, why no program runs, is
 * stored in the row first, so that it outlives this process.
 */

import { isDeepStrictEqual } from 'node:util'
import type { HostState } from '@roundhouse/backend-types'
import { type SessionProjection, viewStatus } from '@roundhouse/delivery'
import type { Log } from '../common/log'
import { fence } from '../ingest/ingest'
import { streamChange } from '../ingest/session-row'
import { isTold } from '../ports/storage-port'
import type { StreamWriter } from '../ports/stream/stream-writer'
import { deciding } from '../stream/working-set'
import type { SessionMemory } from '../views/session-memory'
import type { LinkFacts } from './link-facts'

export interface SessionRestDeps {
  ingest: StreamWriter
  log: Log
  memory: SessionMemory
}

/** Called after each account and each batch; cheap while something runs. */
export function letRest(
  deps: SessionRestDeps,
  facts: LinkFacts,
  sessionId: string,
  projection: SessionProjection,
): void {
  const state = deps.memory.state(sessionId)
  if (!state || state.atSeq > projection.seq) return
  // Prompts that waited in an ended session are reported as never sent (CMD-5), so its account has nothing more to say.
  const isOver = projection.ended !== null
  if (!isOver && (!isQuiet(state) || projection.turnId !== null)) return
  if (isOver || isDeepStrictEqual(viewStatus(projection, null), state.status)) forget(deps, facts, sessionId)
  else if (withRest(projection, state)) {
    keepRest(deps, facts, state).catch((error) => {
      if (!isTold(error)) deps.log.warn({ sessionId, error: String(error) }, 'could not store yet why a session rests')
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

/** Null if the account says anything other than why the program is gone. */
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
    const before = row.projection
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
