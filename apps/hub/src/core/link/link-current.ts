/** Checks whether a connection still speaks for its agent, and how a refusal leaves the core. */

import { CodedError } from '@roundhouse/backend-types'
import { fence, type Refused } from '../ingest/ingest'
import { barredBy } from '../machines/barred'
import type { Presence } from '../machines/presence'
import type { Reads } from '../ports/stores'
import type { StreamWriter } from '../ports/stream/stream-writer'
import { deciding, type WorkingSet } from '../stream/working-set'
import type { LinkFacts } from './link-facts'

export interface LinkCurrentDeps {
  ingest: StreamWriter
  presence: Presence
  reads: Pick<Reads, 'machines'>
}

/** True for the newest connection of its agent (LINK-3) whose `hello` was accepted: the hello reveals a copied key (JOIN-4). */
export async function isCurrent(deps: Pick<LinkCurrentDeps, 'presence' | 'reads'>, facts: LinkFacts): Promise<boolean> {
  return isNewest(deps, facts) && (await deps.reads.machines.state(facts.agentId)) === 'active' && isNewest(deps, facts)
}

/**
 * Also checks the moment between a change of the machine's state and the end of its connection. Presence is checked
 * after the read, because another connection may have come meanwhile.
 */
export async function requireCurrent(
  deps: Pick<LinkCurrentDeps, 'presence' | 'reads'>,
  facts: LinkFacts,
): Promise<void> {
  requireNewest(deps, facts)
  const barred = barredBy[(await deps.reads.machines.state(facts.agentId)) ?? 'revoked']
  if (barred) throw new CodedError(barred)
  requireNewest(deps, facts)
}

/** For frames that are fenced in their own commit. Nothing is awaited before it, so frames are stored in order of arrival. */
export function requireNewest(deps: Pick<LinkCurrentDeps, 'presence'>, facts: LinkFacts): void {
  if (!isNewest(deps, facts)) throw new CodedError('FENCED')
}

function isNewest({ presence }: Pick<LinkCurrentDeps, 'presence'>, { agentId, connEpoch }: LinkFacts): boolean {
  const current = presence.current(agentId)
  return current?.connEpoch === connEpoch && current.ready
}

/**
 * Writes what the machine says of itself, fenced like the stream, in one commit with the other writes of this turn of
 * the loop.
 */
export async function writeOfMachine(
  { ingest }: Pick<LinkCurrentDeps, 'ingest'>,
  facts: LinkFacts,
  work: (set: WorkingSet) => void,
): Promise<void> {
  const decide = deciding((set) => {
    const refusal = fence(set, facts)
    if (!refusal) work(set)
    return refusal
  })
  const refused = await ingest.change({ fences: [facts.agentId] }, decide)
  if (refused) throw toError(refused)
}

export function toError(refused: Refused): CodedError {
  return new CodedError(refused.code, refused.message, refused.details)
}
