/** One accepted connection of an agent. Everything it says is fenced by its `connEpoch` (LINK-3). */
import { CodedError, type CommandNews, type Hello, type Waits } from '@roundhouse/backend-types'
import type { Context } from './context'
import { isCurrent, requireCurrent } from './link-current'
import { takeEvents, takeMalformed } from './link-events'
import type { LinkFacts } from './link-facts'
import { manifestText, sayHello } from './link-hello'
import { createLiveTaker } from './link-live'
import type { LinkSession } from './link-ports'
import { takeReports } from './link-reports'
import { takeState } from './link-state'
import { tellMisdeed } from './misdeeds'
import { requireEpoch } from './require-epoch'

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
    misdeed: (why, detail) => tellMisdeed(context, facts, why, detail),
    closed: () => leave(context, facts),
  }
}

async function takeManifest(context: Context, facts: LinkFacts, manifest: Hello['manifest']): Promise<void> {
  requireCurrent(context, facts)
  const text = manifestText(context, facts, manifest)
  if (text === null) throw new CodedError('FRAME_TOO_LARGE')
  await context.transactions.write(async (tx) => {
    await requireEpoch(tx, facts)
    await tx.updateAgent(facts.agentId, { manifest: text })
  })
  context.changes.agent(facts.agentId)
}

/** LOG-10: with every ping. The row follows what is shown; events and questions are corrected at once. */
async function takeClock(context: Context, facts: LinkFacts, agentNow: number): Promise<void> {
  requireCurrent(context, facts)
  const { clock, agentId } = facts
  if (!clock.measure(agentNow - context.now())) return
  const { offsetMs: clockOffsetMs } = clock
  await context.transactions.write(async (tx) => {
    await requireEpoch(tx, facts)
    await tx.updateAgent(agentId, { clockOffsetMs })
  })
  context.changes.agent(agentId)
}

/** Sessions that began or ceased to wait are shown anew, and so is whoever still does, since the numbers changed. */
function takeWaits(context: Context, facts: LinkFacts, waits: Waits): void {
  const { presence, changes, reads } = context
  const connected = presence.current(facts.agentId)
  if (!connected || !isCurrent(context, facts)) return
  const before = connected.waits?.commands ?? []
  connected.waits = waits
  const touched = new Set([...before, ...waits.commands].map(({ sessionId }) => sessionId))
  for (const sessionId of touched) {
    if (reads.session(sessionId)?.agentId === facts.agentId) changes.session(sessionId)
  }
}

async function takeNews(context: Context, facts: LinkFacts, news: CommandNews): Promise<void> {
  requireCurrent(context, facts)
  await context.pump.news(facts, news)
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
