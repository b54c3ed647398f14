/** A session's state in words and one tone, the same on every page. Pure and exhaustive. */
import type { SessionStatus, SessionSummary, SessionView } from '@roundhouse/backend-types'
import { ago } from '../../ui/text/time'

export type Tone = 'working' | 'needs' | 'failed' | 'done' | 'quiet'

export interface StatusWords {
  label: string
  tone: Tone
}

export type Described = Pick<SessionSummary, 'status' | 'unreachableSince' | 'turnFailed'> &
  Partial<Pick<SessionView, 'resumeWaits' | 'agentName' | 'run' | 'treeStopped' | 'updatedAt'>> & {
    /** The page lost the hub, or has it back since a moment: then it is not the machine that was gone. */
    hubAway?: boolean
  }

export function describeStatus(session: Described, now: number): StatusWords {
  const { status, unreachableSince } = session
  if (unreachableSince === undefined || !isAway(session))
    return hasFailed(session) ? failedWords(status) : wordsOf(status)
  if (session.hubAway) return { label: 'Reconnecting', tone: 'quiet' }
  const since = now === 0 ? 'now' : ago(unreachableSince, now)
  return {
    label: since === 'now' ? 'Machine offline' : `Machine offline for ${since}`,
    tone: status.status === 'needs_you' ? 'needs' : 'quiet',
  }
}

/** For an ended session it does not matter whether its machine is connected. */
export const isAway = ({ status, unreachableSince }: Described): boolean =>
  unreachableSince !== undefined && status.status !== 'ended'

/** The hub ends the session of a run that is over, so there too the only news is how its turn ended. */
export const isOverRun = ({ status, run }: Described): boolean =>
  run !== undefined && status.status === 'ended' && status.why === 'stopped'

/** The reason of a run that failed is the error of its status (RUN-1.3); an earlier hub did not say it. */
const hasFailed = (session: Described): boolean =>
  isOverRun(session)
    ? session.turnFailed === true || errorOf(session.status) !== undefined
    : session.turnFailed === true && isAtRest(session.status)

const errorOf = (status: SessionStatus) => ('error' in status ? status.error : undefined)

/** True if the only news of the session is how its last turn ended. */
export function isAtRest(status: SessionStatus): boolean {
  return status.status === 'idle' || (status.status === 'resumable' && status.why === 'idle')
}

/** What a list says of why a run failed, where two words do. */
const shortReasons: Readonly<Record<string, string>> = {
  BACKEND_CRASHED: 'program crashed',
  HOST_DIED: 'host died',
  OUTCOME_UNKNOWN: 'outcome unknown',
  EVENTS_LOST: 'events lost',
  error_max_turns: 'step limit',
  error_max_budget: 'budget reached',
}

function failedWords(status: SessionStatus): StatusWords {
  const code = errorOf(status)?.code ?? ''
  const reason = Object.hasOwn(shortReasons, code) ? shortReasons[code] : undefined
  return { label: reason ? `Failed: ${reason}` : 'Failed', tone: 'failed' }
}

function wordsOf(status: SessionStatus): StatusWords {
  switch (status.status) {
    case 'waiting_for_agent':
      return { label: 'Waiting for the machine', tone: 'quiet' }
    case 'starting':
      return { label: 'Starting', tone: 'working' }
    case 'idle':
      return { label: 'Idle', tone: 'quiet' }
    case 'running':
      return { label: 'Working', tone: 'working' }
    case 'needs_you':
      return { label: 'Needs you', tone: 'needs' }
    case 'paused':
      return pausedWords[status.why]
    case 'resumable':
      return resumableWords[status.why]
    case 'ended':
      return endedWords[status.why]
  }
}

export type Why<S extends SessionStatus['status']> = Extract<SessionStatus, { status: S; why: unknown }>['why']

const pausedWords: Record<Why<'paused'>, StatusWords> = {
  disk: {
    label: 'Paused: disk full',
    tone: 'failed',
  },
  backlog: {
    label: 'Paused: backlog',
    tone: 'failed',
  },
  policy: {
    label: 'Paused by policy',
    tone: 'failed',
  },
}

const resumableWords: Record<Why<'resumable'>, StatusWords> = {
  idle: { label: 'Idle, program stopped', tone: 'quiet' },
  process_exited: {
    label: 'Program ended',
    tone: 'failed',
  },
  host_died: {
    label: 'Interrupted',
    tone: 'failed',
  },
  start_failed: {
    label: 'Did not start',
    tone: 'failed',
  },
  agent_restarted: {
    label: 'Machine restarted',
    tone: 'quiet',
  },
  ended_by_person: {
    label: 'Program stopped',
    tone: 'quiet',
  },
}

const endedWords: Record<Why<'ended'>, StatusWords> = {
  stopped: {
    label: 'Ended',
    tone: 'done',
  },
  deleted: { label: 'Deleted', tone: 'quiet' },
  resume_unavailable: {
    label: 'Conversation lost',
    tone: 'failed',
  },
  agent_revoked: {
    label: 'Machine revoked',
    tone: 'failed',
  },
  failed: { label: 'Failed', tone: 'failed' },
}
