/** What went wrong in a run, as a code and a sentence. Codes are those of the error table, and the few below. Pure. */
import type { CodedReason, SessionEvent, SessionEventOf } from '@roundhouse/backend-types'

export type Trouble = Pick<CodedReason, 'code' | 'message'>

type ExitCause = SessionEventOf<'process_exited'>['cause']

/** Where `process_exited` brings no error of its own. */
export const exits: Readonly<Record<ExitCause, Trouble>> = {
  crashed: { code: 'BACKEND_CRASHED', message: 'The program ended unexpectedly.' },
  killed: { code: 'stopped', message: 'The program was ended.' },
  host_died: { code: 'HOST_DIED', message: 'The process that ran the program died, and the program was ended.' },
  start_failed: { code: 'BACKEND_ERROR', message: 'The program could not be started.' },
}

export const unknownOutcome: Trouble = {
  code: 'OUTCOME_UNKNOWN',
  message: 'The program may have received the prompt. Nobody knows what it did.',
}
export const lostEvents: Trouble = { code: 'EVENTS_LOST', message: 'Part of what the program said is lost.' }

/** `stopped`: on purpose. */
export const exitCode = ({ cause, error }: SessionEventOf<'process_exited'>): string => (error ?? exits[cause]).code

/** Null where the event reports none, or the one that was told last. */
export function troubleOf(event: SessionEvent, before: Trouble | null): Trouble | null {
  const found = reportedBy(event)
  if (!found || (found.code === before?.code && found.message === before.message)) return null
  return { code: found.code, message: found.message }
}

function reportedBy(event: SessionEvent): Trouble | null {
  switch (event.kind) {
    case 'process_exited':
      return event.cause === 'killed' ? null : (event.error ?? exits[event.cause])
    case 'turn_completed':
      return event.error ?? (event.reason === 'outcome_unknown' ? unknownOutcome : null)
    case 'session_ended':
      return event.error ?? null
    case 'gap':
      return lostEvents
    default:
      return null
  }
}

/** Undefined: the turn did what it was asked. Words in lower case are no errors of the table. */
export function turnSubtype(
  { reason, error }: Pick<SessionEventOf<'turn_completed'>, 'reason' | 'error'>,
  { exit, isTorn }: { exit: string | null; isTorn: boolean },
): string | undefined {
  switch (reason) {
    case 'completed':
      return isTorn ? lostEvents.code : undefined
    case 'interrupted':
      return 'interrupted'
    case 'max_turns':
      return 'error_max_turns'
    case 'budget':
      return 'error_max_budget'
    case 'failed':
      return error?.code ?? 'error_during_execution'
    case 'process_exited':
      return error?.code ?? exit ?? exits.crashed.code
    case 'outcome_unknown':
      return unknownOutcome.code
  }
}
