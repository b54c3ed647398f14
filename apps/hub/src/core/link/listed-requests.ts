/**
 * LINK-5: the requests that a host's account lists are stored, as far as there is room for them (BAD-4). An account may arrive before
 * the events that close others of its requests: then those without room are stored behind these events.
 */
import { mergeHostState } from '@roundhouse/delivery'
import type { Log } from '../common/log'
import type { Changes } from '../doorbells/changes'
import { fence, type Stored } from '../ingest/ingest'
import { openListed } from '../ingest/ingest-effects'
import { requestIdsOf } from '../ingest/read-batch'
import { isTold } from '../ports/storage-port'
import type { StreamWriter } from '../ports/stream/stream-writer'
import { deciding } from '../stream/working-set'
import type { SessionMemory } from '../views/session-memory'
import { toError } from './link-current'
import type { LinkFacts } from './link-facts'

export interface ListedRequestsDeps {
  changes: Changes
  ingest: StreamWriter
  log: Log
  memory: SessionMemory
  now: () => number
}

/** Judged anew inside the transaction: an event that was stored meanwhile may have closed one of them. */
export async function storeListed(
  { ingest, memory, now }: Pick<ListedRequestsDeps, 'ingest' | 'memory' | 'now'>,
  facts: LinkFacts,
  sessionId: string,
): Promise<void> {
  const { agentId, clockOffsetMs, crowded } = facts
  const keys = {
    fences: [agentId],
    sessions: [{ sessionId }],
    requests: requestIdsOf(memory.state(sessionId)),
    openRequests: [{ agentId, sessionId }],
  }
  const decide = deciding((set) => {
    crowded.delete(sessionId)
    const refusal = fence(set, facts)
    const row = set.sessions.find(sessionId)
    if (refusal || !row) return refusal
    const { projection } = row
    const merged = mergeHostState(projection, memory.state(sessionId), null)
    const others = set.requests.notLoaded(requestIdsOf(merged))
    if (others.length > 0) return { more: { requests: others } }
    const owner = { ...row, clockOffsetMs, notBefore: projection.updatedAt, now: now() }
    // Noted here, because the next decision of the same commit may make room.
    if (!openListed(set, owner, merged)) crowded.add(sessionId)
    return refusal
  })
  const refused = await ingest.change(keys, decide)
  if (refused) throw toError(refused)
}

/** After a batch: its session first, then others of the machine until one still has no room, the longest waiting first. */
export function storeCrowded(deps: ListedRequestsDeps, facts: LinkFacts, sessionId: string, stored: Stored): void {
  const { crowded } = facts
  if (stored.crowded) crowded.add(sessionId)
  if (crowded.size === 0 || !stored.effects.some(({ kind }) => makesRoom.has(kind))) return
  const others = [...crowded].filter((other) => other !== sessionId)
  const storeEach = async () => {
    if (crowded.has(sessionId)) await storeOne(deps, facts, sessionId)
    for (const other of others) if (!(await storeOne(deps, facts, other))) return
  }
  storeEach().catch((error) => {
    if (!isTold(error)) deps.log.warn({ sessionId, error: String(error) }, 'could not store a listed request yet')
  })
}

/** Whether all that its account lists has room. */
async function storeOne(deps: ListedRequestsDeps, facts: LinkFacts, sessionId: string): Promise<boolean> {
  await storeListed(deps, facts, sessionId)
  deps.changes.session(sessionId)
  return !facts.crowded.has(sessionId)
}

const makesRoom: ReadonlySet<Stored['effects'][number]['kind']> = new Set([
  'request_resolved',
  'rebased',
  'pruned',
  'session_ended',
])
