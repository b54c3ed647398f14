/** What a machine says of itself while it is connected: its programs, its clock, and what waits for a free place. */
import { CodedError, type Hello, type Waits } from '@roundhouse/backend-types'
import type { CommandPump } from '../commands/command-pump'
import type { Changes } from '../doorbells/changes'
import type { Doorbells } from '../doorbells/doorbells'
import type { LinkMachine } from '../machines/link-ports'
import type { Reads } from '../ports/stores'
import type { Attention } from '../views/attention'
import { isCurrent, type LinkCurrentDeps, requireCurrent, writeOfMachine } from './link-current'
import type { LinkFacts } from './link-facts'
import { manifestOf } from './link-hello'
import type { MisdeedsDeps } from './misdeeds'

export interface LinkMachineDeps extends LinkCurrentDeps, MisdeedsDeps {
  attention: Attention
  changes: Changes
  doorbells: Doorbells
  now: () => number
  pump: CommandPump
  reads: Pick<Reads, 'machines' | 'sessions'>
}

export function createLinkMachine(deps: LinkMachineDeps, facts: LinkFacts): LinkMachine {
  return {
    waits: (waits) => takeWaits(deps, facts, waits),
    manifest: (manifest) => takeManifest(deps, facts, manifest),
    clock: (now) => takeClock(deps, facts, now),
  }
}

async function takeManifest(deps: LinkMachineDeps, facts: LinkFacts, manifest: Hello['manifest']): Promise<void> {
  await requireCurrent(deps, facts)
  const kept = manifestOf(deps, facts, manifest)
  if (kept === null) throw new CodedError('FRAME_TOO_LARGE')
  await writeOfMachine(deps, facts, (set) => set.machines.update(facts.agentId, { manifest: kept }))
  deps.changes.agent(facts.agentId)
}

/** LOG-10: runs with every ping. The row follows what is shown; events and questions are corrected at once. */
async function takeClock(deps: LinkMachineDeps, facts: LinkFacts, agentNow: number): Promise<void> {
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
async function takeWaits(deps: LinkMachineDeps, facts: LinkFacts, waits: Waits): Promise<void> {
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
