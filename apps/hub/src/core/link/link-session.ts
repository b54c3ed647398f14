/** One accepted connection of an agent. Everything that it sends is fenced by its `connEpoch` (LINK-3). */
import { CodedError, type CommandNews, type Hello, type Waits } from '@roundhouse/backend-types'
import type { LinkSession } from '../machines/link-ports'
import type { Reads } from '../ports/stores'
import { deciding } from '../stream/working-set'
import { isCurrent, requireCurrent, writeOfMachine } from './link-current'
import { type LinkEventsDeps, takeEvents, takeMalformed } from './link-events'
import type { LinkFacts } from './link-facts'
import { acceptHello, type LinkHelloDeps, manifestOf } from './link-hello'
import { imageChunk, type LinkImageDeps } from './link-image'
import { createLiveTaker, type LinkLiveDeps } from './link-live'
import { type LinkReportsDeps, takeReports } from './link-reports'
import { type LinkStateDeps, takeState } from './link-state'
import { type MisdeedsDeps, tellMisdeed } from './misdeeds'

export interface LinkSessionDeps
  extends LinkEventsDeps,
    LinkHelloDeps,
    LinkImageDeps,
    LinkLiveDeps,
    LinkReportsDeps,
    LinkStateDeps,
    MisdeedsDeps {
  reads: Pick<Reads, 'commands' | 'machines' | 'requests' | 'sessions'>
}

export function createLinkSession(deps: LinkSessionDeps, facts: LinkFacts): LinkSession {
  return {
    agentId: facts.agentId,
    welcome: facts.welcome,
    hello: (hello) => acceptHello(deps, facts, hello),
    sessions: (page) => takeReports(deps, facts, page),
    judged: () => deps.pump.kick(facts.agentId),
    events: (batch) => takeEvents(deps, facts, batch),
    malformed: (sessionId) => takeMalformed(deps, facts, sessionId),
    live: createLiveTaker(deps, facts),
    state: (state) => takeState(deps, facts, state),
    waits: (waits) => takeWaits(deps, facts, waits),
    manifest: (manifest) => takeManifest(deps, facts, manifest),
    news: (news) => takeNews(deps, facts, news),
    clock: (now) => takeClock(deps, facts, now),
    image: (asked) => imageChunk(deps, facts, asked),
    misdeed: (why, detail) => tellMisdeed(deps, facts, why, detail),
    closed: () => leave(deps, facts),
  }
}

async function takeManifest(deps: LinkSessionDeps, facts: LinkFacts, manifest: Hello['manifest']): Promise<void> {
  await requireCurrent(deps, facts)
  const kept = manifestOf(deps, facts, manifest)
  if (kept === null) throw new CodedError('FRAME_TOO_LARGE')
  await writeOfMachine(deps, facts, (set) => set.machines.update(facts.agentId, { manifest: kept }))
  deps.changes.agent(facts.agentId)
}

/** LOG-10: runs with every ping. The row follows what is shown; events and questions are corrected at once. */
async function takeClock(deps: LinkSessionDeps, facts: LinkFacts, agentNow: number): Promise<void> {
  await requireCurrent(deps, facts)
  const { clock, agentId } = facts
  if (!clock.measure(agentNow - deps.now())) return
  const { offsetMs: clockOffsetMs } = clock
  await writeOfMachine(deps, facts, (set) => set.machines.update(agentId, { clockOffsetMs }))
  deps.changes.agent(agentId)
}

/**
 * Publishes sessions whose waiting state changed, and those still waiting, because their numbers changed. Only their
 * own pages change; no list does.
 */
async function takeWaits(deps: LinkSessionDeps, facts: LinkFacts, waits: Waits): Promise<void> {
  const { presence, attention, changes, doorbells, reads, pump } = deps
  const isTold = await isCurrent(deps, facts)
  const connected = presence.current(facts.agentId)
  if (!isTold || connected?.connEpoch !== facts.connEpoch) return
  const before = connected.waits?.commands ?? []
  const diskChanged = connected.waits?.disk !== waits.disk
  connected.waits = waits
  if (diskChanged) changes.agent(facts.agentId)
  pump.held(
    facts.agentId,
    waits.commands.map(({ commandId }) => commandId),
  )
  const touched = new Set([...before, ...waits.commands].map(({ sessionId }) => sessionId))
  const looked = [...touched].filter((sessionId) => attention.has(sessionId))
  for (const [sessionId, { agentId }] of await reads.sessions.heads(looked)) {
    if (agentId === facts.agentId) doorbells.ring('session', { sessionId })
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
