/** Takes one batch of one connection: stores it with its group, then informs memory, doorbells and waiting commands. */

import type { EventBatch } from '@roundhouse/backend-types'
import type { CommandPump } from '../commands/command-pump'
import type { RowLimit } from '../common/row-limit'
import type { Changes } from '../doorbells/changes'
import type { Doorbells } from '../doorbells/doorbells'
import { type Ingested, ingestBatch, ingestMalformed, type Stored } from '../ingest/ingest'
import { keysOfBatch, readBatch } from '../ingest/read-batch'
import type { SessionBudget } from '../machines/machine-limits'
import type { Reads } from '../ports/stores'
import type { StreamWriter } from '../ports/stream/stream-writer'
import { deciding, isMore } from '../stream/working-set'
import type { SessionMemory } from '../views/session-memory'
import { type LinkCurrentDeps, requireNewest, toError } from './link-current'
import type { LinkFacts } from './link-facts'
import { storeCrowded } from './listed-requests'
import { recallLost } from './lost-decisions'
import { isTelling, type MisdeedsDeps, tellMisdeed } from './misdeeds'
import { letRest } from './session-rest'
import { urgencyOf } from './urgency'

export interface LinkEventsDeps extends Pick<LinkCurrentDeps, 'presence' | 'reads'>, MisdeedsDeps {
  reads: Pick<Reads, 'commands' | 'machines' | 'requests'>
  changes: Changes
  doorbells: Doorbells
  ingest: StreamWriter
  /** Sessions that machines created themselves. */
  madeSessions: SessionBudget
  memory: SessionMemory
  now: () => number
  pump: CommandPump
  /** Limits reports of deeds that a machine attributes to a person without a command (VIEW-8). */
  unproven: RowLimit
}

export async function takeEvents(deps: LinkEventsDeps, facts: LinkFacts, batch: EventBatch): Promise<number> {
  requireNewest(deps, facts)
  const { sessionId } = batch
  const { result, released } = await commit(deps, facts, batch)
  if (result.kind === 'refused') {
    if (isTelling(result.code)) tellMisdeed(deps, facts, result.code, { sessionId })
    throw toError(result)
  }
  if (result.events.length > 0) spread(deps, facts, sessionId, result)
  storeCrowded(deps, facts, sessionId, result)
  for (const { seq, code, path } of result.unreadable) tellMisdeed(deps, facts, code, { sessionId, seq, path })
  if (released) deps.pump.kick(facts.agentId, sessionId)
  const reopened = result.effects.flatMap((effect) => (effect.kind === 'request_opened' ? [effect.ask.requestId] : []))
  recallLost(deps, facts, reopened, false)
  return result.acked
}

/**
 * A batch's effect on the session's stop applies at once, because the next batch may be in the same group commit. If
 * the decision runs again, a stop that it ended stays ended.
 */
async function commit(
  { ingest, memory, now, unproven, madeSessions }: LinkEventsDeps,
  facts: LinkFacts,
  told: EventBatch,
): Promise<{ result: Ingested; released: boolean }> {
  const { served, agentId } = facts
  const { sessionId } = told
  const batch = readBatch(told)
  let released = false
  const decide = deciding((set) => {
    const ingested = ingestBatch(set, facts, batch, {
      stopped: served.isStopped(sessionId),
      now: now(),
      unproven,
      madeSessions,
      account: memory.state(sessionId),
    })
    if (isMore(ingested)) return ingested
    if (ingested.kind === 'refused') {
      if (ingested.code === 'SEQ_CONFLICT') served.conflicted(sessionId)
      return ingested
    }
    if (ingested.events.length > 0 && served.stored(sessionId)) released = true
    return ingested
  })
  try {
    const keys = keysOfBatch(agentId, batch, memory.state(sessionId))
    return { result: await ingest.change(keys, decide, batch.events.length), released }
  } catch (error) {
    if (released) served.stopAgain(sessionId)
    throw error
  }
}

/** After the commit: memory first, then the doorbells. */
function spread(deps: LinkEventsDeps, facts: LinkFacts, sessionId: string, stored: Stored): void {
  const { memory, doorbells, changes, log } = deps
  const { events, known, effects, projection, unreadable, head } = stored
  if (effects.some((effect) => effect.kind === 'rebased')) memory.rebased(sessionId, projection)
  else memory.eventsStored(sessionId, projection, known)
  letRest(deps, facts, sessionId, projection)
  doorbells.ring('events', { sessionId, events, head })
  changes.session(sessionId, urgencyOf(known.map(({ event }) => event)))
  for (const fault of unreadable) {
    log.warn({ sessionId, agentId: facts.agentId, ...fault }, 'system.malformed.received')
  }
}

export async function takeMalformed(
  deps: Pick<LinkEventsDeps, 'changes' | 'ingest' | 'presence' | 'reads' | keyof MisdeedsDeps>,
  facts: LinkFacts,
  sessionId: string,
): Promise<{ blocked: boolean }> {
  requireNewest(deps, facts)
  const keys = { fences: [facts.agentId], sessions: [{ sessionId }] }
  const result = await deps.ingest.change(
    keys,
    deciding((set) => ingestMalformed(set, facts, sessionId)),
  )
  if ('kind' in result) {
    if (isTelling(result.code)) tellMisdeed(deps, facts, result.code, { sessionId })
    throw toError(result)
  }
  const { blocked, isNews } = result
  if (!isNews) return { blocked }
  deps.log.warn({ sessionId, agentId: facts.agentId, blocked }, 'system.malformed.received')
  if (blocked) deps.changes.session(sessionId)
  return { blocked }
}
