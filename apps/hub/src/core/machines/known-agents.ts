import { CodedError } from '@roundhouse/backend-types'
import type { Reads } from '../ports/stores'

/** Only existing machines can be shared. Throws `NOT_FOUND` with the id of the first one that does not exist. */
export async function requireAgents(
  { reads }: { reads: Pick<Reads, 'machines'> },
  agentIds: readonly string[] = [],
): Promise<void> {
  for (const agentId of agentIds) {
    const isKnown = (await reads.machines.find(agentId)) !== undefined
    if (!isKnown) throw new CodedError('NOT_FOUND', 'Machine not found.', { agentId })
  }
}
