import { CodedError } from '@roundhouse/backend-types'
import type { Reads } from '../ports/stores'

/** Only machines that exist are shared. Throws `NOT_FOUND` with the id of the first that does not. */
export async function requireAgents(
  { reads }: { reads: Pick<Reads, 'machines'> },
  agentIds: readonly string[] = [],
): Promise<void> {
  for (const agentId of agentIds) {
    const isKnown = (await reads.machines.find(agentId)) !== undefined
    if (!isKnown) throw new CodedError('NOT_FOUND', 'Machine not found.', { agentId })
  }
}
