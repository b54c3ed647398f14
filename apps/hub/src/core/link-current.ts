/** Whether a connection still speaks for its agent, and how a refusal leaves the core. */
import { CodedError } from '@roundhouse/backend-types'
import { barredBy } from './barred'
import type { Context } from './context'
import type { Refused } from './ingest'
import type { LinkFacts } from './link-facts'
import type { WriteTx } from './ports'

/** The newest connection of its agent (LINK-3), and one whose `hello` was taken: a copy of a key shows itself there (JOIN-4). */
export function isCurrent(context: Context, facts: LinkFacts): boolean {
  const current = context.presence.current(facts.agentId)
  return current?.connEpoch === facts.connEpoch && current.ready
}

export function requireCurrent(context: Context, facts: LinkFacts): void {
  if (!isCurrent(context, facts)) throw new CodedError('FENCED')
}

export function toError(refused: Refused): CodedError {
  return new CodedError(refused.code, refused.message, refused.details)
}

/** Fences a write through Prisma as `fence` does the stream. */
export async function requireEpoch(tx: WriteTx, facts: Pick<LinkFacts, 'agentId' | 'connEpoch'>) {
  const agent = await tx.findAgent(facts.agentId)
  if (!agent) throw new CodedError('AUTH_FAILED')
  const barred = barredBy[agent.state]
  if (barred) throw new CodedError(barred)
  if (agent.connEpoch !== facts.connEpoch) throw new CodedError('FENCED')
  return agent
}
