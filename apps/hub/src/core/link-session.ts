/** One accepted connection of an agent. Everything it says is fenced by its `connEpoch` (LINK-3). */
import {
  CodedError,
  type CommandNews,
  type EventBatch,
  type Hello,
  type HostState,
  type LiveFrame,
} from '@roundhouse/backend-types'
import type { LinkSession } from './agent-gate'
import { readBlock } from './answers'
import type { Context } from './context'
import { isTooDeepValue } from './depth'
import { fence, ingestBatch, ingestMalformed, projectionOf, type Refused, type Stored } from './ingest'
import { openRequest } from './ingest-effects'
import type { LinkFacts } from './link-facts'
import { requireEpoch, sayHello } from './link-hello'
import { judgeReports } from './link-reports'
import { urgencyOf } from './urgency'

export function createLinkSession(context: Context, facts: LinkFacts): LinkSession {
  /** Sessions that were answered `SEQ_CONFLICT` on this connection: only the rebase's gap goes on (ACK-3). */
  const stopped = new Set<string>()
  const own = new Set<string>()
  return {
    agentId: facts.agentId,
    welcome: facts.welcome,
    hello: (hello) => sayHello(context, facts, hello),
    sessions: async ({ sessions }) => {
      requireCurrent(context, facts)
      for (const { sessionId } of sessions) stopped.delete(sessionId)
      return judgeReports(context, facts, sessions)
    },
    events: (batch) => takeEvents(context, facts, stopped, batch),
    malformed: async (sessionId) => {
      requireCurrent(context, facts)
      return takeMalformed(context, facts, sessionId)
    },
    live: (frames) => takeLive(context, facts, own, frames),
    state: (state) => takeState(context, facts, state),
    manifest: async (manifest) => {
      requireCurrent(context, facts)
      await takeManifest(context, facts, manifest)
    },
    news: (news) => takeNews(context, facts, news),
    closed: () => leave(context, facts),
  }
}

async function takeEvents(
  context: Context,
  facts: LinkFacts,
  stopped: Set<string>,
  batch: EventBatch,
): Promise<number> {
  requireCurrent(context, facts)
  const { sessionId } = batch
  const result = await context.ingest.run(batch.events.length, (tx) =>
    ingestBatch(tx, facts, batch, stopped.has(sessionId), context.now()),
  )
  if (result.kind === 'refused') {
    if (result.code === 'SEQ_CONFLICT') stopped.add(sessionId)
    throw toError(result)
  }
  if (result.events.length > 0) spread(context, facts, sessionId, result)
  if (result.events.some((event) => event.kind === 'gap')) stopped.delete(sessionId)
  return result.acked
}

/** After the commit: memory, then the doorbells. */
function spread(
  { memory, doorbells, changes, log }: Context,
  facts: LinkFacts,
  sessionId: string,
  stored: Stored,
): void {
  const { events, known, effects, projection, unreadable, head } = stored
  if (effects.some((effect) => effect.kind === 'rebased')) memory.forget(sessionId)
  else memory.eventsStored(sessionId, projection, known)
  doorbells.ring('events', { sessionId, events, head })
  changes.session(sessionId, urgencyOf(known.map(({ event }) => event)))
  for (const fault of unreadable) {
    log.warn({ sessionId, agentId: facts.agentId, ...fault }, 'system.malformed.received')
    doorbells.ring('malformed', { sessionId, agentId: facts.agentId, ...fault })
  }
}

async function takeMalformed(context: Context, facts: LinkFacts, sessionId: string): Promise<{ blocked: boolean }> {
  const result = await context.ingest.run(1, (tx) => ingestMalformed(tx, facts, sessionId))
  if ('kind' in result) throw toError(result)
  const { blocked } = result
  context.log.warn({ sessionId, agentId: facts.agentId, blocked }, 'system.malformed.received')
  context.doorbells.ring('malformed', { sessionId, agentId: facts.agentId, code: 'MALFORMED_FRAME' })
  if (blocked) context.changes.session(sessionId)
  return result
}

/** Live frames are never stored; those of sessions that are not this agent's are dropped. */
function takeLive(context: Context, facts: LinkFacts, own: Set<string>, frames: LiveFrame[]): void {
  if (!isCurrent(context, facts)) return
  const bySession = new Map<string, LiveFrame[]>()
  for (const frame of frames) bySession.set(frame.sessionId, [...(bySession.get(frame.sessionId) ?? []), frame])
  for (const [sessionId, mine] of bySession) {
    if (!own.has(sessionId)) {
      if (context.reads.session(sessionId)?.agentId !== facts.agentId) continue
      own.add(sessionId) // it stays so: a session never moves (SES-4)
    }
    for (const frame of mine) {
      const ask = context.memory.frame(frame)
      if (ask) void askForBlock(context, facts, sessionId, ask)
    }
    context.doorbells.ring('live', { sessionId, frames: mine })
  }
}

async function askForBlock(
  context: Context,
  facts: LinkFacts,
  sessionId: string,
  ask: { blockId: string; from: number },
): Promise<void> {
  try {
    const answer = await facts.link.ask({ kind: 'block', sessionId, ...ask }, 5_000)
    const { text, from } = readBlock(answer)
    context.memory.blockText(sessionId, { blockId: ask.blockId, from, text })
  } catch (error) {
    context.log.warn({ sessionId, error: String(error) }, 'the agent did not give the text of an open block')
  }
}

/** LINK-5: level-triggered, outside the credits. A request in it that is not known yet is stored before it is shown. */
async function takeState(context: Context, facts: LinkFacts, state: HostState): Promise<void> {
  requireCurrent(context, facts)
  if (isTooDeepValue(state.requests)) throw new CodedError('MALFORMED_FRAME', 'requests: nested too deeply')
  const { reads, memory, changes, ingest } = context
  const row = reads.session(state.sessionId)
  if (row?.agentId !== facts.agentId) return
  const before = gist(memory.state(state.sessionId))
  const merged = memory.takeState(projectionOf(row), state, facts.connEpoch)
  const unknown = (merged?.requests ?? []).filter((ask) => !reads.request(ask.requestId))
  if (unknown.length > 0) {
    const refused = await ingest.run(1, (tx) => {
      const refusal = fence(tx, facts)
      if (!refusal) for (const ask of unknown) openRequest(tx, row, ask)
      return refusal
    })
    if (refused) throw toError(refused)
  }
  changes.session(state.sessionId, gist(merged) === before ? 'later' : 'now')
}

/** What people would notice: not the counters, nor the blocks, which come as live text. */
function gist(state: HostState | null): string {
  if (!state) return ''
  const { status, turnId, queue, queueHeld, requests } = state
  return JSON.stringify([status, turnId, queue, queueHeld, requests.map((ask) => ask.requestId)])
}

async function takeManifest(context: Context, facts: LinkFacts, manifest: Hello['manifest']): Promise<void> {
  await context.transactions.write(async (tx) => {
    await requireEpoch(tx, facts)
    await tx.updateAgent(facts.agentId, { manifest: JSON.stringify(manifest) })
  })
  context.changes.agent(facts.agentId)
}

async function takeNews(context: Context, facts: LinkFacts, news: CommandNews): Promise<void> {
  requireCurrent(context, facts)
  await context.pump.news(facts.agentId, news)
}

async function leave(context: Context, facts: LinkFacts): Promise<void> {
  const { presence, transactions, changes, reads, now } = context
  const { agentId, connEpoch } = facts
  if (!presence.leave(agentId, connEpoch, now())) return
  changes.agent(agentId)
  for (const sessionId of reads.sessionIdsOfAgent(agentId)) changes.session(sessionId)
  await transactions.write(async (tx) => {
    const agent = await tx.findAgent(agentId)
    if (agent?.connEpoch === connEpoch) await tx.updateAgent(agentId, { lastSeenAt: now() })
  })
}

/** The newest connection of its agent (LINK-3), and one whose `hello` was taken: a copy of a key shows itself there (JOIN-4). */
function isCurrent(context: Context, facts: LinkFacts): boolean {
  const current = context.presence.current(facts.agentId)
  return current?.connEpoch === facts.connEpoch && current.ready
}

function requireCurrent(context: Context, facts: LinkFacts): void {
  if (!isCurrent(context, facts)) throw new CodedError('FENCED')
}

function toError(refused: Refused): CodedError {
  return new CodedError(refused.code, refused.message, refused.details)
}
