/** SES-6: a session that a prompt is about to reach is not at rest, whatever its log and its host still say. Pure. */
import { type CommandState, promptCommands, type SessionStatus } from '@roundhouse/backend-types'
import type { CommandRow } from '../ports/command-store'

const withoutProgram: ReadonlySet<SessionStatus['status']> = new Set(['waiting_for_agent', 'starting', 'resumable'])
const onTheWay: ReadonlySet<CommandState> = new Set(['pending', 'sent'])

type Prompt = Pick<CommandRow, 'kind' | 'state' | 'promptId'>

/** An accepted prompt is on its way until its turn is stored, unless it waits in a queue that is held (CMD-5). */
export function hasPromptOnItsWay(commands: readonly Prompt[], queueHeld: boolean): boolean {
  return commands.some(
    ({ kind, state, promptId }) =>
      promptCommands.has(kind) && promptId !== null && (onTheWay.has(state) || (state === 'accepted' && !queueHeld)),
  )
}

/** True of the states whose next step can only be a person's prompt. */
export function isAtRest(status: SessionStatus): boolean {
  return status.status === 'idle' || (status.status === 'resumable' && status.why === 'idle')
}

/** `stored`: the state by the events alone. A prompt of a session that has no program yet starts one first. */
export function withPromptOnItsWay(told: SessionStatus, stored: SessionStatus): SessionStatus {
  if (!isAtRest(told)) return told
  return { status: told.status === 'idle' && !withoutProgram.has(stored.status) ? 'running' : 'starting' }
}
