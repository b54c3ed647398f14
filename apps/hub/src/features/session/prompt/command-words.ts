/** Describes a command in flight, or one that failed. Pure and exhaustive. */
import type { CommandKind, CommandState, CommandView } from '@roundhouse/backend-types'
import { errorTable } from '@roundhouse/backend-types'
import { placesTaken } from '../../sessions/places-taken'

const names: Record<CommandKind, string> = {
  'session.create': 'Start session',
  'session.resume': 'Resume',
  'session.configure': 'Change settings',
  'session.stop': 'End session for good',
  'session.delete': 'Delete session',
  'prompt.send': 'Prompt',
  'program.tell': 'Tell the program',
  'tool.answer': 'Answer to the program',
  'queue.edit': 'Edit queued prompt',
  'queue.remove': 'Remove queued prompt',
  'queue.move': 'Move queued prompt',
  'queue.release': 'Run queue',
  'turn.interrupt': 'Stop turn',
  'task.stop': 'Stop background task',
  'permission.decide': 'Decision',
  'grant.revoke': 'Revoke a permission',
  'files.rewind': 'Put files back',
  'process.end': 'Stop program',
  'event.blank': 'Erase event',
}

/** `null`: nothing to show; the command arrived or was cancelled. */
const states: Record<CommandState, string | null> = {
  pending: 'waiting for the machine',
  sent: 'sent, not accepted yet',
  accepted: null,
  done: null,
  refused: 'not done',
  expired: 'not done: the machine did not take it in time',
  cancelled: null,
  outcome_unknown: 'whether it was done is unknown',
}

export interface CommandWords {
  name: string
  state: string
  /** The command failed, or its outcome is unknown. It is shown until it is dismissed. */
  failed: boolean
}

export function commandWords(
  { kind, state, error, waits }: Pick<CommandView, 'kind' | 'state' | 'error' | 'waits'>,
  machine: string,
): CommandWords | null {
  const said = waits ? placesTaken(waits, machine) : states[state]
  if (said === null) return null
  const failed = state === 'refused' || state === 'expired' || state === 'outcome_unknown'
  const name = Object.hasOwn(names, kind) ? names[kind as CommandKind] : kind
  // A command that expired with a reason did not run out of time.
  const what = state === 'expired' && error ? 'not done' : said
  return { name, state: failed && error ? `${what}. ${titled(error)}` : said, failed }
}

/** CMD-5.16: the program reads a prompt for the running turn when its model pauses, which may take a while. */
export const untakenWords: CommandWords = { name: 'Prompt', state: 'waiting for the program to read it', failed: false }

function titled({ code, message }: { code: string; message: string }): string {
  return message || (Object.hasOwn(errorTable, code) ? errorTable[code as keyof typeof errorTable].title : code)
}
