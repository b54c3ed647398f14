/** Describes what happened to a session and what the person can do next. Pure and exhaustive. */
import type { CodedReason, SessionStatus } from '@roundhouse/backend-types'
import { errorSentence, nextStep } from '../advice/what-next'
import { type Described, isAtRest, isAway, isOverRun, type Why } from './describe-status'
import { placesTaken } from './places-taken'

/** Absent if the label of the state says everything. `hasResume`: whether “Resume” stands beside it. */
export function adviceOn(session: Described, hasResume = true): string | undefined {
  const { status, turnFailed } = session
  if (isAway(session)) {
    if (session.hubAway) return undefined
    return `The machine is not connected. ${awayWords(status)} When it reconnects, its output appears here, and your prompts and decisions are delivered.`
  }
  if (turnFailed && isAtRest(status)) return undefined
  const advice = goingOn(sentenceOn(session), session)
  return hasResume ? advice : advice?.replace(OR_RESUME, 'The next prompt continues').replace(tryAgain, nextTries)
}

/** The text for a session whose machine is offline. */
function awayWords(status: SessionStatus): string {
  if (status.status === 'running' || status.status === 'starting') return 'It may still be working there.'
  if (status.status === 'needs_you') return 'It was waiting for your decision.'
  if (status.status === 'waiting_for_agent') return 'It has not started this session yet.'
  return 'Nothing was running when it disconnected.'
}

function sentenceOn(session: Described): string | undefined {
  const { status } = session
  switch (status.status) {
    case 'waiting_for_agent':
      return 'The machine has not started this session yet. It starts automatically when the machine connects.'
    case 'starting':
      return status.waitsFor
    case 'paused':
      return paused[status.why]
    case 'resumable':
      // The transcript itself shows a crash, and the error of a failed start.
      if (status.error?.code === 'BACKEND_CRASHED') return resumable[status.why]
      return withError(status.why === 'start_failed' && status.error ? tryAgain : resumable[status.why], status.error)
    case 'ended':
      // Nothing can be done in a run that is over, so the error alone is told.
      if (isOverRun(session))
        return [status.error && errorSentence(status.error), stoppedBy(session)].filter(Boolean).join(' ')
      return withError(status.why === 'stopped' ? stoppedBy(session) : ended[status.why], status.error)
    default:
      return undefined
  }
}

const paused: Record<Why<'paused'>, string> = {
  disk: 'The disk of the machine is full. Free up space there and the session continues automatically; nothing was lost.',
  backlog: 'The program prints faster than the hub can store it. It continues automatically; nothing was lost.',
  policy: "The machine's own policy stopped it. Change the policy there, or end the session.",
}

const OR_RESUME = 'Your next prompt, or Resume, continues'
const tryAgain = 'Send a prompt or press Resume to try again.'
const nextTries = 'The next prompt tries again.'

const resumable: Record<Why<'resumable'>, string> = {
  idle: 'Stopped because it was idle. Your next prompt resumes it.',
  process_exited: `Everything it printed is here. ${OR_RESUME} the same conversation.`,
  host_died: `The process that ran this session on the machine ended unexpectedly. Everything it logged is here. ${OR_RESUME} the same conversation.`,
  start_failed: `The program did not start. ${tryAgain}`,
  agent_restarted: `The machine was restarted. ${OR_RESUME} the same conversation.`,
  ended_by_person: `A person stopped the program. ${OR_RESUME} the same conversation.`,
}

const TAKES_NO_MORE = 'It takes no more prompts; the transcript stays.'

/** The hub ends a run that is over and the sessions of a stopped tree, and nobody else ended those. */
function stoppedBy(session: Described): string {
  const { treeStopped, updatedAt = Number.POSITIVE_INFINITY } = session
  if (treeStopped && updatedAt >= treeStopped.at)
    return `This session was ended because its tree was stopped. ${TAKES_NO_MORE}`
  return isOverRun(session) ? `The run is over. ${TAKES_NO_MORE}` : `A person ended this session. ${TAKES_NO_MORE}`
}

const ended: Record<Exclude<Why<'ended'>, 'stopped'>, string> = {
  deleted: 'This session was deleted.',
  resume_unavailable: 'The program no longer knows this conversation. The transcript stays; continue in a new session.',
  agent_revoked:
    'The machine was revoked, so nothing runs there any more. The transcript stays; continue in a new session on another machine.',
  failed: 'The session could not continue. The transcript stays.',
}

/** RES-3: replaces the advice to the person. */
function goingOn(sentence: string | undefined, { status, resumeWaits, agentName = '' }: Described): string | undefined {
  if (status.status !== 'resumable' || !status.resumes) return sentence
  const told = sentence?.split('Your next prompt, or')[0]?.trimEnd()
  const waits = resumeWaits ? ` Now ${placesTaken(resumeWaits, agentName)}.` : ''
  return [told, `It resumes automatically (attempt ${status.resumes.attempt} of 3).${waits}`].filter(Boolean).join(' ')
}

/** The error says what happened; our last sentences say what to do. */
function withError(sentence: string, error: CodedReason | undefined): string {
  return error ? [errorSentence(error), nextStep(error) ?? sentence].filter(Boolean).join(' ') : sentence
}
