/** One accepted connection of an agent. Everything that it sends is fenced by its `connEpoch` (LINK-3). */
import type { CommandNews } from '@roundhouse/backend-types'
import type { LinkSession } from '../machines/link-ports'
import type { Reads } from '../ports/stores'
import { deciding } from '../stream/working-set'
import { requireCurrent } from './link-current'
import { type LinkEventsDeps, takeEvents, takeMalformed } from './link-events'
import type { LinkFacts } from './link-facts'
import { acceptHello, type LinkHelloDeps } from './link-hello'
import { imageChunk, type LinkImageDeps } from './link-image'
import { createLiveTaker, type LinkLiveDeps } from './link-live'
import { createLinkMachine, type LinkMachineDeps } from './link-machine'
import { type LinkReportsDeps, takeReports } from './link-reports'
import { type LinkStateDeps, takeState } from './link-state'
import { type MisdeedsDeps, tellMisdeed } from './misdeeds'

export interface LinkSessionDeps
  extends LinkEventsDeps,
    LinkHelloDeps,
    LinkImageDeps,
    LinkLiveDeps,
    LinkMachineDeps,
    LinkReportsDeps,
    LinkStateDeps,
    MisdeedsDeps {
  reads: Pick<Reads, 'commands' | 'machines' | 'requests' | 'sessions'>
}

export function createLinkSession(deps: LinkSessionDeps, facts: LinkFacts): LinkSession {
  return {
    ...createLinkMachine(deps, facts),
    agentId: facts.agentId,
    welcome: facts.welcome,
    hello: (hello) => acceptHello(deps, facts, hello),
    sessions: (page) => takeReports(deps, facts, page),
    judged: () => deps.pump.kick(facts.agentId),
    events: (batch) => takeEvents(deps, facts, batch),
    malformed: (sessionId) => takeMalformed(deps, facts, sessionId),
    live: createLiveTaker(deps, facts),
    state: (state) => takeState(deps, facts, state),
    news: (news) => takeNews(deps, facts, news),
    image: (asked) => imageChunk(deps, facts, asked),
    misdeed: (why, detail) => tellMisdeed(deps, facts, why, detail),
    closed: () => leave(deps, facts),
  }
}

async function takeNews(deps: LinkSessionDeps, facts: LinkFacts, news: CommandNews): Promise<void> {
  await requireCurrent(deps, facts)
  await deps.pump.news(facts, news)
}

async function leave(deps: LinkSessionDeps, facts: LinkFacts): Promise<void> {
  const { presence, ingest, changes, reads, now } = deps
  const { agentId, connEpoch } = facts
  if (!presence.leave(agentId, connEpoch, now())) return
  changes.agent(agentId)
  for (const sessionId of await reads.sessions.idsOfMachine(agentId)) changes.session(sessionId)
  const decide = deciding(({ machines }) => {
    if (machines.fence(agentId)?.connEpoch === connEpoch) machines.update(agentId, { lastSeenAt: now() })
  })
  await ingest.change({ fences: [agentId] }, decide)
}
