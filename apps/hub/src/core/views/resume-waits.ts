/** RES-3: the wait for a place of a session that resumes by itself, as its machine reports it. Pure. */
import { BY_ITSELF, type SessionStatus, type SessionView, type Waits } from '@roundhouse/backend-types'

export function resumeWaitsOf(
  sessionId: string,
  status: SessionStatus,
  waits: Waits | null | undefined,
): Pick<SessionView, 'resumeWaits'> {
  if (status.status !== 'resumable' || !status.resumes || !waits) return {}
  const { running, limit, commands } = waits
  const isWaiting = commands.some((one) => one.commandId === BY_ITSELF && one.sessionId === sessionId)
  return isWaiting ? { resumeWaits: { running, limit } } : {}
}
