/** A session's state in words and one tone, the same on every page. Pure and exhaustive. */
import type { CodedReason, SessionStatus, SessionSummary, SessionView } from '@roundhouse/backend-types'
import { ago } from '../../ui/time'
import { placesTaken } from './places-taken'
import { errorSentence, nextStep } from './what-next'

export type Tone = 'working' | 'needs' | 'failed' | 'done' | 'quiet'

export interface StatusWords {
  label: string
  tone: Tone
  /** A sentence: what happened and what the person can do next. Absent where the label says it all. */
  next?: string
}

type Described = Pick<SessionSummary, 'status' | 'unreachableSince' | 'turnFailed'> &
  Partial<Pick<SessionView, 'resumeWaits' | 'agentName'>>

export function describeStatus(session: Described, now: number): StatusWords {
  const { status, unreachableSince, turnFailed } = session
  const words = goingOn(turnFailed && isAtRest(status) ? failedWords : wordsOf(status), session)
  if (unreachableSince === undefined || status.status === 'ended') return words
  const since = now === 0 ? 'now' : ago(unreachableSince, now)
  return {
    label: since === 'now' ? 'Machine offline' : `Machine offline for ${since}`,
    tone: status.status === 'needs_you' ? 'needs' : 'quiet',
    next: `The machine is not connected. ${awayWords(status)} Its output appears here, and your prompts and answers are delivered, when it reconnects.`,
  }
}

/** Nothing else is to be said of it than how its last turn ended. */
function isAtRest(status: SessionStatus): boolean {
  return status.status === 'idle' || (status.status === 'resumable' && status.why === 'idle')
}

const failedWords: StatusWords = { label: 'Failed', tone: 'failed' }

/** What is known of a session whose machine is away. */
function awayWords(status: SessionStatus): string {
  if (status.status === 'running' || status.status === 'starting') return 'Its turn may still be running there.'
  if (status.status === 'needs_you') return 'It had asked for your answer.'
  if (status.status === 'waiting_for_agent') return 'It has not started this session yet.'
  return 'Nothing was running when it disconnected.'
}

function wordsOf(status: SessionStatus): StatusWords {
  switch (status.status) {
    case 'waiting_for_agent':
      return {
        label: 'Waiting for the machine',
        tone: 'quiet',
        next: 'The machine has not started this session yet. It starts automatically when the machine connects.',
      }
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
      return withError(resumableWords[status.why], status.error)
    case 'ended':
      return withError(endedWords[status.why], status.error)
  }
}

type Why<S extends SessionStatus['status']> = Extract<SessionStatus, { status: S; why: unknown }>['why']

const pausedWords: Record<Why<'paused'>, StatusWords> = {
  disk: {
    label: 'Paused: disk full',
    tone: 'failed',
    next: 'The disk of the machine is full. Free up space there and the session continues automatically; nothing was lost.',
  },
  backlog: {
    label: 'Paused: backlog',
    tone: 'failed',
    next: 'The program prints faster than the hub can store it. It continues automatically; nothing was lost.',
  },
  policy: {
    label: 'Paused by policy',
    tone: 'failed',
    next: "The machine's own policy stopped it. Change the policy there, or end the session.",
  },
}

const resumableWords: Record<Why<'resumable'>, StatusWords> = {
  idle: { label: 'Asleep', tone: 'quiet', next: 'Stopped because it was idle. Your next prompt resumes it.' },
  process_exited: {
    label: 'Program ended',
    tone: 'failed',
    next: 'The program ended unexpectedly. Everything it printed is here. Your next prompt, or Resume, continues the same conversation.',
  },
  host_died: {
    label: 'Interrupted',
    tone: 'failed',
    next: 'The session host died and the program was ended with it. Everything logged is here. Your next prompt, or Resume, continues the same conversation.',
  },
  start_failed: {
    label: 'Did not start',
    tone: 'failed',
    next: 'The program did not start. Send a prompt or press Resume to try again.',
  },
  agent_restarted: {
    label: 'Machine restarted',
    tone: 'quiet',
    next: 'The machine was restarted. Your next prompt, or Resume, continues the same conversation.',
  },
  ended_by_person: {
    label: 'Program stopped',
    tone: 'quiet',
    next: 'A person stopped the program. Your next prompt, or Resume, continues the same conversation.',
  },
}

const endedWords: Record<Why<'ended'>, StatusWords> = {
  stopped: {
    label: 'Ended',
    tone: 'done',
    next: 'A person ended this session. It takes no more prompts; the transcript stays.',
  },
  deleted: { label: 'Deleted', tone: 'quiet', next: 'This session was deleted.' },
  resume_unavailable: {
    label: 'Conversation lost',
    tone: 'failed',
    next: 'The program no longer knows this conversation. The transcript stays; continue in a new session.',
  },
  agent_revoked: {
    label: 'Machine revoked',
    tone: 'failed',
    next: 'The machine was revoked, so nothing runs there any more. The transcript stays; continue in a new session on another machine.',
  },
  failed: { label: 'Failed', tone: 'failed', next: 'The session could not continue. The transcript stays.' },
}

/** RES-3: in the place of what a person would have to do. */
function goingOn(words: StatusWords, { status, resumeWaits, agentName = '' }: Described): StatusWords {
  if (status.status !== 'resumable' || !status.resumes) return words
  const told = words.next?.split('Your next prompt, or')[0]?.trimEnd()
  const waits = resumeWaits ? ` Now ${placesTaken(resumeWaits, agentName)}.` : ''
  return { ...words, next: `${told} It resumes automatically (attempt ${status.resumes.attempt} of 3).${waits}` }
}

/** The error says what happened; the last sentences of ours what to do. */
function withError(words: StatusWords, error: CodedReason | undefined): StatusWords {
  if (!error) return words
  const next = [errorSentence(error), nextStep(error.code) ?? words.next].filter(Boolean).join(' ')
  return { ...words, next }
}
