/** A session's state in words and one tone, the same on every page. Pure and exhaustive. */
import type { SessionStatus, TurnEnd } from '@roundhouse/backend-types'
import { ago } from '../../ui/time'

export type Tone = 'working' | 'needs' | 'failed' | 'done' | 'quiet'

export interface StatusWords {
  label: string
  tone: Tone
  /** A sentence: what happened and what the person can do next. Absent where the label says it all. */
  next?: string
}

export function describeStatus(status: SessionStatus, unreachableSince: number | undefined, now: number): StatusWords {
  const words = wordsOf(status)
  if (unreachableSince === undefined || status.status === 'ended') return words
  return {
    label: `Machine offline, ${ago(unreachableSince, now)}`,
    tone: 'quiet',
    next: 'The machine is not connected. What it logged meanwhile follows when it returns; prompts wait for it.',
  }
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
      return { label: pausedLabel[status.why], tone: 'failed', next: pausedNext[status.why] }
    case 'resumable':
      return resumable(status.why, status.error?.message)
    case 'ended':
      return ended(status.why, status.error?.message)
  }
}

const pausedLabel = { disk: 'Paused: disk full', backlog: 'Paused: backlog', policy: 'Paused by policy' } as const
const pausedNext = {
  disk: 'The machine has no room to log. It goes on by itself when there is room; nothing was lost.',
  backlog: 'The program prints faster than the hub can take. It goes on by itself.',
  policy: "The machine's own policy stopped it.",
} as const

type Resumable = Extract<SessionStatus, { status: 'resumable' }>['why']

const resumableWords: Record<Resumable, StatusWords> = {
  idle: { label: 'Asleep', tone: 'quiet', next: 'Stopped after a quiet time. The next prompt wakes it.' },
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
    next: 'Your next prompt, or Resume, continues the same conversation.',
  },
  ended_by_person: {
    label: 'Program stopped',
    tone: 'quiet',
    next: 'Your next prompt, or Resume, continues the same conversation.',
  },
}

function resumable(why: Resumable, detail: string | undefined): StatusWords {
  const words = resumableWords[why]
  return detail ? { ...words, next: `${detail} ${words.next ?? ''}`.trim() } : words
}

type Ended = Extract<SessionStatus, { status: 'ended' }>['why']

const endedWords: Record<Ended, StatusWords> = {
  stopped: { label: 'Ended', tone: 'done' },
  deleted: { label: 'Deleted', tone: 'quiet' },
  resume_unavailable: {
    label: 'Conversation lost',
    tone: 'failed',
    next: 'The program no longer knows this conversation. The transcript stays; you can start afresh from here.',
  },
  agent_revoked: { label: 'Machine revoked', tone: 'failed' },
  failed: { label: 'Failed', tone: 'failed' },
}

function ended(why: Ended, detail: string | undefined): StatusWords {
  const words = endedWords[why]
  return detail ? { ...words, next: `${detail} ${words.next ?? ''}`.trim() } : words
}

/** Why a turn ended, for its footer. `null`: it simply finished. */
export const turnEndWords: Record<TurnEnd, string | null> = {
  completed: null,
  interrupted: 'Stopped',
  failed: 'Failed',
  process_exited: 'The program ended during this turn',
  max_turns: 'Reached the limit of steps',
  budget: 'Reached the budget',
  outcome_unknown: 'The end is unknown',
}
