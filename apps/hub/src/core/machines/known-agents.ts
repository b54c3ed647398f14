import { CodedError } from '@roundhouse/backend-types'
import type { Reads } from '../ports/stores'

/** Only machines that exist are shared. Throws `NOT_FOUND` with the id of the first that does not. */
export function requireAgents({ reads }: { reads: Pick<Reads, 'machines'> }, agentIds: readonly string[] = []): void {
  const unknown = agentIds.find((agentId) => reads.machines.find(agentId) === undefined)
  if (unknown !== undefined) throw new CodedError('NOT_FOUND', 'Machine not found.', { agentId: unknown })
}
