/** The end of a run, as its session shows it: the hub ends each run that is over, so why its session ended says nothing (RUN-1.3). Pure. */
import type { HostState, SessionStatus } from '@roundhouse/backend-types'
import { viewStatus } from '@roundhouse/delivery'
import { failureOf } from '@roundhouse/runtime/run'
import type { SessionRow } from '../ports/session-store'

/** With the reason of a run that failed. */
export function statusByLog(
  { projection, onPermission }: Pick<SessionRow, 'projection' | 'onPermission'>,
  state: HostState | null,
): SessionStatus {
  const status = viewStatus(projection, state)
  if (onPermission === null || status.status !== 'ended' || status.why !== 'stopped' || status.error) return status
  const { lastTurn = null, exit, isTorn } = projection
  const error = failureOf({ turn: lastTurn, exit, isTorn })
  return error ? { ...status, error } : status
}
