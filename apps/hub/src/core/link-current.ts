/** Whether a connection still speaks for its agent, and how a refusal leaves the core. */
import { CodedError } from '@roundhouse/backend-types'
import { barredBy } from './barred'
import type { Context } from './context'
import { fence, type Refused } from './ingest'
import type { LinkFacts } from './link-facts'
import type { IngestTx } from './ports'

/** The newest connection of its agent (LINK-3), and one whose `hello` was taken: a copy of a key shows itself there (JOIN-4). */
export function isCurrent(context: Context, facts: LinkFacts): boolean {
  return isNewest(context, facts) && context.reads.agentState(facts.agentId) === 'active'
}

/** Also in the moment between a change of the machine's state and the end of its connection. */
export function requireCurrent(context: Context, facts: LinkFacts): void {
  if (!isNewest(context, facts)) throw new CodedError('FENCED')
  const barred = barredBy[context.reads.agentState(facts.agentId) ?? 'revoked']
  if (barred) throw new CodedError(barred)
}

function isNewest({ presence }: Context, { agentId, connEpoch }: LinkFacts): boolean {
  const current = presence.current(agentId)
  return current?.connEpoch === connEpoch && current.ready
}

/** What the machine says of itself, fenced as the stream is, in one commit with all that is written in this turn of the loop. */
export async function writeOfMachine(
  { ingest }: Context,
  facts: LinkFacts,
  work: (tx: IngestTx) => void,
): Promise<void> {
  const refused = await ingest.run(1, (tx) => {
    const refusal = fence(tx, facts)
    if (!refusal) work(tx)
    return refusal
  })
  if (refused) throw toError(refused)
}

export function toError(refused: Refused): CodedError {
  return new CodedError(refused.code, refused.message, refused.details)
}
