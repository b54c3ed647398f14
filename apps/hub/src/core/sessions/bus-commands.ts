/**
 * What an orchestrator says on `cmd.<session>.*` is a command of that session, with the rights of the orchestrator's person: stored,
 * sent until it is recorded, started once (CMD-1 to CMD-3). None of them answers a permission request.
 */
import { type BusData, CodedError, type CommandMade } from '@roundhouse/backend-types'
import type { Actor } from '../access/access'
import { idOfKey } from '../common/hub-key'
import type { Views } from '../views/views'
import type { SessionCommandsApi } from './session-commands'

export interface BusCommand {
  sessionId: string
  /** The last word of the topic. */
  name: string
  data: BusData
  correlationId: string | null
  /** The same for the same message, so that a repeat is the same command. */
  key: string
}

/** Resolves once the command is stored. Null: there is nothing to do. */
export type CommandSession = (actor: Actor, command: BusCommand) => Promise<CommandMade | null>

type Does = (actor: Actor, command: BusCommand) => Promise<CommandMade | null>

export function createBusCommands(
  commands: SessionCommandsApi,
  views: Pick<Views, 'view'>,
  spawn: CommandSession,
): CommandSession {
  const tell =
    (name: 'approve' | 'reject' | 'set_phase'): Does =>
    (actor, { sessionId, data, correlationId, key }) => {
      const answers = typeof data.correlation_id === 'string' ? data.correlation_id : correlationId
      return commands.tell(actor, sessionId, { name, data, ...(answers ? { correlationId: answers } : {}) }, key)
    }
  const table: Readonly<Record<string, Does>> = {
    approve: tell('approve'),
    unblock: tell('approve'),
    reject: tell('reject'),
    set_phase: tell('set_phase'),
    abort: (actor, { sessionId, key }) => commands.stop(actor, sessionId, key),
    /** A turn that is interrupted holds the queue, until `resume` releases it (CMD-5). */
    pause: async (actor, { sessionId, key }) => {
      const turnId = (await views.view(sessionId))?.turnId
      return turnId === undefined ? null : commands.interrupt(actor, sessionId, { turnId }, key)
    },
    resume: (actor, { sessionId, key }) => commands.queue(actor, sessionId, { op: 'release' }, key),
    inject_text: (actor, { sessionId, data, key }) =>
      commands.prompt(actor, sessionId, { promptId: idOfKey(key), text: String(data.text) }, key),
    spawn,
  }
  return async (actor, command) => {
    const does = table[command.name]
    if (!does) throw new CodedError('MESSAGE_INVALID', 'There is no such command.')
    return does(actor, command)
  }
}
