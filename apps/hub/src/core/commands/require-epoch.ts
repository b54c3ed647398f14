import { CodedError } from '@roundhouse/backend-types'
import type { Sender } from '../ingest/ingest'
import { barredBy } from '../machines/barred'
import type { MachineRow } from '../ports/machine-store'

/** The connection by which an agent says something. */
export type Connection = Pick<Sender, 'agentId' | 'connEpoch'>

/** Checks the machine's row in the transaction that is about to write, as `fence` does for the stream. */
export function requireEpoch(agent: MachineRow | null | undefined, { connEpoch }: Connection): MachineRow {
  if (!agent) throw new CodedError('AUTH_FAILED')
  const barred = barredBy[agent.state]
  if (barred) throw new CodedError(barred)
  if (agent.connEpoch !== connEpoch) throw new CodedError('FENCED')
  return agent
}
