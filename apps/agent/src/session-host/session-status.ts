/** The status of a session in one word, from what the host knows. Pure. */
import type { SessionStatus } from '@roundhouse/backend-types'
import type { SessionEnds } from '@roundhouse/delivery'
import type { ResumeWish } from '../log/resume-wish'

export interface StatusFacts {
  projection: SessionEnds
  diskStalled: boolean
  backlog: boolean
  isStarting: boolean
  startWaitsFor: string | null
  isRunning: boolean
  inTurn: boolean
  openRequests: number
  /** The reason of a planned end. */
  planned: 'idle' | 'ended_by_person' | null
  /** Whether the session resumes by itself (RES-3). */
  wish: ResumeWish
}

export function statusOf(facts: StatusFacts): SessionStatus {
  const { ended, exit } = facts.projection
  if (ended) return { status: 'ended', why: ended.why, ...(ended.error ? { error: ended.error } : {}) }
  if (facts.diskStalled) return { status: 'paused', why: 'disk' }
  if (facts.isStarting && !facts.isRunning) return starting(facts)
  // A helper may make a request while no turn runs.
  if ((facts.inTurn || facts.isRunning) && facts.openRequests > 0) return { status: 'needs_you' }
  if (facts.inTurn) return facts.backlog ? { status: 'paused', why: 'backlog' } : { status: 'running' }
  if (facts.isRunning) return { status: 'idle' }
  if (exit)
    return { status: 'resumable', why: exit.why, ...(exit.error ? { error: exit.error } : {}), ...resumes(facts) }
  return facts.planned ? { status: 'resumable', why: facts.planned, ...resumes(facts) } : { status: 'idle' }
}

const starting = ({ startWaitsFor }: StatusFacts): SessionStatus =>
  startWaitsFor === null ? { status: 'starting' } : { status: 'starting', waitsFor: startWaitsFor }

function resumes({ wish }: StatusFacts): { resumes?: { attempt: number; at: number } } {
  return wish.phase === 'waits' ? { resumes: { attempt: wish.tries, at: wish.at } } : {}
}
