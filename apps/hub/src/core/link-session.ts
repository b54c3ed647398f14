/** One accepted connection of an agent. Everything it says is fenced by its `connEpoch` (LINK-3). */
import type { CommandNews, Hello, LiveFrame, Waits } from '@roundhouse/backend-types'
import type { LinkSession } from './link-ports'
import { readBlock } from './answers'
import type { Context } from './context'
import { isCurrent, requireCurrent, requireEpoch } from './link-current'
import { takeEvents, takeMalformed } from './link-events'
import type { LinkFacts } from './link-facts'
import { sayHello } from './link-hello'
import { judgeReports } from './link-reports'
import { takeState } from './link-state'

export function createLinkSession(context: Context, facts: LinkFacts): LinkSession {
  const { served } = facts
  const own = new Set<string>()
  return {
    agentId: facts.agentId,
    welcome: facts.welcome,
    hello: (hello) => sayHello(context, facts, hello),
    sessions: async ({ sessions, last }) => {
      requireCurrent(context, facts)
      const verdicts = await judgeReports(context, facts, sessions)
      for (const { sessionId, verdict } of verdicts) {
        if (verdict !== 'resume' && verdict !== 'rebase') continue // not this agent's, or not there
        const first = !served.wasJudged(sessionId)
        if (context.memory.reported(sessionId, facts.connEpoch, first)) context.changes.session(sessionId)
      }
      served.judged(verdicts, last)
      return verdicts
    },
    judged: () => context.pump.kick(facts.agentId),
    events: (batch) => takeEvents(context, facts, batch),
    malformed: (sessionId) => takeMalformed(context, facts, sessionId),
    live: (frames) => takeLive(context, facts, own, frames),
    state: (state) => takeState(context, facts, state),
    waits: async (waits) => takeWaits(context, facts, waits),
    manifest: async (manifest) => {
      requireCurrent(context, facts)
      await takeManifest(context, facts, manifest)
    },
    news: (news) => takeNews(context, facts, news),
    closed: () => leave(context, facts),
  }
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

async function takeManifest(context: Context, facts: LinkFacts, manifest: Hello['manifest']): Promise<void> {
  await context.transactions.write(async (tx) => {
    await requireEpoch(tx, facts)
    await tx.updateAgent(facts.agentId, { manifest: JSON.stringify(manifest) })
  })
  context.changes.agent(facts.agentId)
}

/** Sessions that began or ceased to wait are shown anew, and so is whoever still does, since the numbers changed. */
function takeWaits({ presence, changes, reads }: Context, facts: LinkFacts, waits: Waits): void {
  const connected = presence.current(facts.agentId)
  if (connected?.connEpoch !== facts.connEpoch) return
  const before = connected.waits?.commands ?? []
  connected.waits = waits
  const touched = new Set([...before, ...waits.commands].map(({ sessionId }) => sessionId))
  for (const sessionId of touched) {
    if (reads.session(sessionId)?.agentId === facts.agentId) changes.session(sessionId)
  }
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
