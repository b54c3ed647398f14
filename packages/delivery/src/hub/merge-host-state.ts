/**
 * How the host's own account (`state`, level-triggered) and the stored events make one picture (LINK-5).
 *
 * The newest `(leaseToken, rev)` wins among the accounts. Between an account and the events whoever has seen more of the
 * log is right about turn and requests: an account taken at `atSeq` knows all events up to there. So a prompt is on
 * screen while its event is still far back in the backlog, and what a stored event has closed stays closed.
 */
import type { HostState, SessionStatus } from '@roundhouse/backend-types'
import type { OpenParts, SessionProjection } from '../events/session-projection'

/** Pass `incoming: null` after new events were stored, to take what they closed out of the account. */
export function mergeHostState(
  projection: SessionProjection,
  latest: HostState | null,
  incoming: HostState | null,
): HostState | null {
  const newest = incoming && (!latest || isNewer(incoming, latest)) ? incoming : latest
  if (!newest || newest.atSeq >= projection.seq) return newest
  return {
    ...newest,
    turnId: projection.turnId ?? undefined,
    requests: [...Object.values(projection.requests), ...withoutRoom(projection, newest)],
    status: viewStatus(projection, newest),
  }
}

/** Only the account has the text of these. */
function withoutRoom({ withoutRoom = [] }: OpenParts, { requests }: HostState) {
  return withoutRoom.length === 0 ? [] : requests.filter(({ requestId }) => withoutRoom.includes(requestId))
}

function isNewer(a: HostState, b: HostState): boolean {
  return a.leaseToken !== b.leaseToken ? a.leaseToken > b.leaseToken : a.rev > b.rev
}

/** The one status that people see. `unreachable` lies over it and is the hub's own fact. */
export function viewStatus(projection: SessionProjection, state: HostState | null): SessionStatus {
  const { ended, exit } = projection
  if (ended) return { status: 'ended', why: ended.why, ...(ended.error ? { error: ended.error } : {}) }
  // Whoever hears of an end reads no further, so it is told when everything before it is stored.
  if (state?.status.status === 'ended' && state.atSeq > projection.seq) return viewStatus(projection, null)
  if (state && state.atSeq >= projection.seq) return state.status
  if (projection.turnId !== null) {
    if (Object.keys(projection.requests).length > 0) return { status: 'needs_you' }
    return state?.status.status === 'paused' ? state.status : { status: 'running' }
  }
  // A helper may ask while no turn runs.
  if (!exit && Object.keys(projection.requests).length > 0) return { status: 'needs_you' }
  if (exit) return { status: 'resumable', why: exit.why, ...(exit.error ? { error: exit.error } : {}) }
  if (state && !isAboutTurn(state.status)) return state.status
  if (projection.seq === 0) return { status: 'waiting_for_agent' }
  // Where a gap hides the beginning, nobody can tell: at rest is the safer guess.
  const begun = projection.backendSessionId !== null || projection.settings === null
  return { status: begun ? 'idle' : 'starting' }
}

/** These were true of a turn that the events have ended since. */
function isAboutTurn({ status }: SessionStatus): boolean {
  return status === 'running' || status === 'needs_you'
}
