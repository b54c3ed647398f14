import { CodedError } from '@roundhouse/backend-types'
import type { Sender } from '../ingest/ingest'
import { barredBy } from '../machines/barred'
import type { MachineRow } from '../ports/machine-store'

/** By which connection an agent says something. */
export type Connection = Pick<Sender, 'agentId' | 'connEpoch'>

/** The machine's row, read in the transaction that is to write: fences it as `fence` does the stream. */
export function requireEpoch(agent: MachineRow | null | undefined, { connEpoch }: Connection): MachineRow {
  if (!agent) throw new CodedError('AUTH_FAILED')
  const barred = barredBy[agent.state]
  if (barred) throw new CodedError(barred)
  if (agent.connEpoch !== connEpoch) throw new CodedError('FENCED')
  return agent
}
