/**
 * What a session row holds, from its events alone. It is plain JSON and stays small: a request leaves `requests` when it is
 * closed, a call leaves `openCalls` with its result.
 */
import type {
  CodedReason,
  ContextUsage,
  Grant,
  PermissionAsk,
  ResumableReason,
  SessionEventOf,
  SessionSettings,
} from '@roundhouse/backend-types'

/** What the session is, as its first event says. All null where a gap hides that event. */
export interface SessionOrigin {
  readonly logId: string | null
  readonly settings: SessionSettings | null
  readonly realWorkDir: string | null
  readonly title: string | null
  readonly author: { userId: string; name: string } | null
  readonly continuedFrom: string | null
  readonly createdAt: number
}

/** What began and has not ended. Nothing of it stays open behind a gap. */
export interface OpenParts {
  readonly turnId: string | null
  /** The last turn failed, and none has begun since. Absent in rows of earlier releases. */
  readonly turnFailed?: boolean
  /** Tool calls without a result yet, by `callId`, with the call they are nested in. */
  readonly openCalls: Readonly<Record<string, { parentCallId: string | null }>>
  /** Open permission requests by `requestId`. */
  readonly requests: Readonly<Record<string, PermissionAsk>>
  /** The ids of open requests that had no room in `requests` (BAD-4). Absent: all had. */
  readonly withoutRoom?: readonly string[] | undefined
}

/** What adds up over the events: an event that counted already does not count again. */
export interface SessionSums {
  readonly grants: readonly Grant[]
  /** US dollars of all turns. */
  readonly cost: number
  /** `cost` and `grants` hold what events up to here said, which may come later (`withSoFar`). Absent: none do. */
  readonly knownTo?: number
}

/** Why nothing runs. */
export interface SessionEnds {
  /** How the last turn ended. Absent: none has ended, one runs, or a gap hides it. */
  readonly lastTurn?: Pick<SessionEventOf<'turn_completed'>, 'reason' | 'error'> | undefined
  /** A gap hides events from before the last turn ended. Absent: none does. */
  readonly isTorn?: true
  /** Of the process; null while one runs or none ever did. */
  readonly exit: { procId: string; why: ResumableReason; error: CodedReason | null } | null
  readonly ended: { why: SessionEventOf<'session_ended'>['why']; error: CodedReason | null } | null
}

export interface SessionProjection extends SessionOrigin, OpenParts, SessionSums, SessionEnds {
  /** The last number that is in here, 0 before the first. */
  readonly seq: number
  readonly backendSessionId: string | null
  readonly contextUsage: ContextUsage | null
  /** The last thing that was said by a person or the backend, on one line. */
  readonly lastLine: string
  readonly updatedAt: number
}

export function emptyProjection(): SessionProjection {
  return {
    seq: 0,
    logId: null,
    settings: null,
    realWorkDir: null,
    title: null,
    author: null,
    continuedFrom: null,
    backendSessionId: null,
    turnId: null,
    turnFailed: false,
    openCalls: {},
    requests: {},
    grants: [],
    cost: 0,
    contextUsage: null,
    lastLine: '',
    exit: null,
    ended: null,
    createdAt: 0,
    updatedAt: 0,
  }
}
