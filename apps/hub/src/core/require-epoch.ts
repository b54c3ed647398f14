import { CodedError } from '@roundhouse/backend-types'
import { barredBy } from './barred'
import type { Sender } from './ingest'
import type { WriteTx } from './ports'

/** By which connection an agent says something. */
export type Connection = Pick<Sender, 'agentId' | 'connEpoch'>

/** Fences a write through Prisma as `fence` does the stream. */
export async function requireEpoch(tx: WriteTx, { agentId, connEpoch }: Connection) {
  const agent = await tx.findAgent(agentId)
  if (!agent) throw new CodedError('AUTH_FAILED')
  const barred = barredBy[agent.state]
  if (barred) throw new CodedError(barred)
  if (agent.connEpoch !== connEpoch) throw new CodedError('FENCED')
  return agent
}
