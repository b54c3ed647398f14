/** One batch of one connection: stored with its group, then memory, doorbells and waiting commands hear of it. */
import type { EventBatch } from '@roundhouse/backend-types'
import { mergeHostState } from '@roundhouse/delivery'
import { withAuthors } from './attribution'
import type { Context } from './context'
import { type Ingested, ingestBatch, ingestMalformed, type Stored } from './ingest'
import { openListed } from './ingest-effects'
import { requireCurrent, toError } from './link-current'
import type { LinkFacts } from './link-facts'
import { recallLost } from './lost-decisions'
import { isTelling, tellMisdeed } from './misdeeds'
import { letRest } from './session-rest'
import { urgencyOf } from './urgency'

export async function takeEvents(context: Context, facts: LinkFacts, batch: EventBatch): Promise<number> {
  requireCurrent(context, facts)
  const { sessionId } = batch
  const { result, released } = await commit(context, facts, batch)
  if (result.kind === 'refused') {
    if (isTelling(result.code)) tellMisdeed(context, facts, result.code, { sessionId })
    throw toError(result)
  }
  if (result.events.length > 0) spread(context, facts, sessionId, result)
  for (const { seq, code, path } of result.unreadable) tellMisdeed(context, facts, code, { sessionId, seq, path })
  if (released) context.pump.kick(facts.agentId, sessionId)
  const reopened = result.effects.flatMap((effect) => (effect.kind === 'request_opened' ? [effect.ask.requestId] : []))
  recallLost(context, facts, reopened, false)
  return result.acked
}

/** What a batch means for the session's stop holds at once: the next batch may be in the same group commit. */
async function commit(
  { ingest, memory, now, unproven, madeSessions }: Context,
  facts: LinkFacts,
  batch: EventBatch,
): Promise<{ result: Ingested; released: boolean }> {
  const { served, clockOffsetMs } = facts
  const { sessionId, events } = batch
  let released = false
  try {
    const result = await ingest.run(events.length, (tx) => {
      const ingested = ingestBatch(tx, facts, batch, {
        stopped: served.isStopped(sessionId),
        now: now(),
        unproven,
        madeSessions,
      })
      if (ingested.kind === 'refused') {
        if (ingested.code === 'SEQ_CONFLICT') served.conflicted(sessionId)
        return ingested
      }
      if (ingested.events.length > 0 && served.stored(sessionId)) released = true
      const row = ingested.effects.some(({ kind }) => kind === 'pruned') && tx.session(sessionId)
      if (row)
        openListed(
          tx,
          { ...row, clockOffsetMs, notBefore: ingested.projection.updatedAt, now: now() },
          mergeHostState(ingested.projection, memory.state(sessionId), null),
        )
      return ingested
    })
    return { result, released }
  } catch (error) {
    if (released) served.stopAgain(sessionId)
    throw error
  }
}

/** After the commit: memory, then the doorbells. */
function spread(context: Context, facts: LinkFacts, sessionId: string, stored: Stored): void {
  const { memory, reads, doorbells, changes, log } = context
  const { events, known, effects, projection, unreadable, head } = stored
  if (effects.some((effect) => effect.kind === 'rebased')) memory.forget(sessionId)
  else memory.eventsStored(sessionId, projection, known)
  letRest(context, facts, sessionId, projection)
  doorbells.ring('events', { sessionId, events: withAuthors(reads, sessionId, events), head })
  changes.session(sessionId, urgencyOf(known.map(({ event }) => event)))
  for (const fault of unreadable) {
    log.warn({ sessionId, agentId: facts.agentId, ...fault }, 'system.malformed.received')
  }
}

export async function takeMalformed(
  context: Context,
  facts: LinkFacts,
  sessionId: string,
): Promise<{ blocked: boolean }> {
  requireCurrent(context, facts)
  const result = await context.ingest.run(1, (tx) => ingestMalformed(tx, facts, sessionId))
  if ('kind' in result) {
    if (isTelling(result.code)) tellMisdeed(context, facts, result.code, { sessionId })
    throw toError(result)
  }
  const { blocked } = result
  context.log.warn({ sessionId, agentId: facts.agentId, blocked }, 'system.malformed.received')
  if (blocked) context.changes.session(sessionId)
  return result
}
