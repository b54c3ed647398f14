/** One accepted connection of an agent. Everything it says is fenced by its `connEpoch` (LINK-3). */
import { CodedError, type CommandNews, type Hello, type Waits } from '@roundhouse/backend-types'
import type { Context } from './context'
import { isCurrent, requireCurrent, writeOfMachine } from './link-current'
import { takeEvents, takeMalformed } from './link-events'
import type { LinkFacts } from './link-facts'
import { manifestText, sayHello } from './link-hello'
import { imageChunk } from './link-image'
import { createLiveTaker } from './link-live'
import type { LinkSession } from './link-ports'
import { takeReports } from './link-reports'
import { takeState } from './link-state'
import { tellMisdeed } from './misdeeds'

export function createLinkSession(context: Context, facts: LinkFacts): LinkSession {
  return {
    agentId: facts.agentId,
    welcome: facts.welcome,
    hello: (hello) => sayHello(context, facts, hello),
    sessions: (page) => takeReports(context, facts, page),
    judged: () => context.pump.kick(facts.agentId),
    events: (batch) => takeEvents(context, facts, batch),
    malformed: (sessionId) => takeMalformed(context, facts, sessionId),
    live: createLiveTaker(context, facts),
    state: (state) => takeState(context, facts, state),
    waits: async (waits) => takeWaits(context, facts, waits),
    manifest: (manifest) => takeManifest(context, facts, manifest),
    news: (news) => takeNews(context, facts, news),
    clock: (now) => takeClock(context, facts, now),
    image: async (asked) => imageChunk(context, facts, asked),
    misdeed: (why, detail) => tellMisdeed(context, facts, why, detail),
    closed: () => leave(context, facts),
  }
}

async function takeManifest(context: Context, facts: LinkFacts, manifest: Hello['manifest']): Promise<void> {
  requireCurrent(context, facts)
  const text = manifestText(context, facts, manifest)
  if (text === null) throw new CodedError('FRAME_TOO_LARGE')
  await writeOfMachine(context, facts, (tx) => tx.updateAgent(facts.agentId, { manifest: text }))
  context.changes.agent(facts.agentId)
}

/** LOG-10: with every ping. The row follows what is shown; events and questions are corrected at once. */
async function takeClock(context: Context, facts: LinkFacts, agentNow: number): Promise<void> {
  requireCurrent(context, facts)
  const { clock, agentId } = facts
  if (!clock.measure(agentNow - context.now())) return
  const { offsetMs: clockOffsetMs } = clock
  await writeOfMachine(context, facts, (tx) => tx.updateAgent(agentId, { clockOffsetMs }))
  context.changes.agent(agentId)
}

/**
 * Sessions that began or ceased to wait are shown anew, and so is whoever still does, since the numbers changed. Only their
 * own pages say so: no list changes.
 */
function takeWaits(context: Context, facts: LinkFacts, waits: Waits): void {
  const { presence, attention, changes, doorbells, reads, pump } = context
  const connected = presence.current(facts.agentId)
  if (!connected || !isCurrent(context, facts)) return
  const before = connected.waits?.commands ?? []
  const diskChanged = connected.waits?.disk !== waits.disk
  connected.waits = waits
  if (diskChanged) changes.agent(facts.agentId)
  const touched = new Set([...before, ...waits.commands].map(({ sessionId }) => sessionId))
  for (const sessionId of touched) {
    if (!attention.has(sessionId) || reads.session(sessionId)?.agentId !== facts.agentId) continue
    doorbells.ring('session', { sessionId })
  }
  pump.held(
    facts.agentId,
    waits.commands.map(({ commandId }) => commandId),
  )
}

async function takeNews(context: Context, facts: LinkFacts, news: CommandNews): Promise<void> {
  requireCurrent(context, facts)
  await context.pump.news(facts, news)
}

async function leave(context: Context, facts: LinkFacts): Promise<void> {
  const { presence, ingest, changes, reads, now } = context
  const { agentId, connEpoch } = facts
  if (!presence.leave(agentId, connEpoch, now())) return
  changes.agent(agentId)
  for (const sessionId of reads.sessionIdsOfAgent(agentId)) changes.session(sessionId)
  await ingest.run(1, (tx) => {
    if (tx.agent(agentId)?.connEpoch === connEpoch) tx.updateAgent(agentId, { lastSeenAt: now() })
  })
}
