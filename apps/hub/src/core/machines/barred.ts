/** Why an agent may not connect, write or change its key: the decision of its owner (JOIN-1, JOIN-3), or a copy (JOIN-4). */
import type { AgentState, ErrorCode } from '@roundhouse/backend-types'
import type { AgentRow } from '../ports/machine-store'

export const barredBy = {
  active: null,
  pending: 'AGENT_PENDING',
  disabled: 'AGENT_DISABLED',
  revoked: 'AGENT_REVOKED',
} as const satisfies Readonly<Record<AgentState, ErrorCode | null>>

/** For a connection that begins. An existing connection learns of a copy at its hello. */
export function barOf({ state, clonedAt }: Pick<AgentRow, 'state' | 'clonedAt'>) {
  return barredBy[state] ?? (clonedAt === null ? null : 'AGENT_CLONED')
}
