/** Why an agent may not connect, write or change its key: what its owner made of it (JOIN-1, JOIN-3), or a copy (JOIN-4). */
import type { AgentState, ErrorCode } from '@roundhouse/backend-types'
import type { AgentRow } from '../ports/machine-store'

export const barredBy = {
  active: null,
  pending: 'AGENT_PENDING',
  disabled: 'AGENT_DISABLED',
  revoked: 'AGENT_REVOKED',
} as const satisfies Readonly<Record<AgentState, ErrorCode | null>>

/** A connection that exists already is told of a copy at its hello; here it is about one that begins. */
export function barOf({ state, clonedAt }: Pick<AgentRow, 'state' | 'clonedAt'>) {
  return barredBy[state] ?? (clonedAt === null ? null : 'AGENT_CLONED')
}
