import type { SessionCommandsApi } from '../../core'
import type { Handlers } from './handlers'

type Routes =
  | 'sendPrompt'
  | 'editQueue'
  | 'interruptTurn'
  | 'stopTask'
  | 'resumeSession'
  | 'configureSession'
  | 'stopSession'
  | 'endProcess'
  | 'revokeGrant'

/** What goes on to the session's machine. */
export function sessionCommandHandlers({ sessions }: { sessions: SessionCommandsApi }): Handlers<Routes> {
  return {
    sendPrompt: ({ actor, body, id, key }) => sessions.prompt(actor, id.sessionId, body, key),
    editQueue: ({ actor, body, id, key }) => sessions.queue(actor, id.sessionId, body, key),
    interruptTurn: ({ actor, body, id, key }) => sessions.interrupt(actor, id.sessionId, body, key),
    stopTask: ({ actor, body, id, key }) => sessions.stopTask(actor, id.sessionId, body, key),
    resumeSession: ({ actor, body, id, key }) => sessions.resume(actor, id.sessionId, body, key),
    configureSession: ({ actor, body, id, key }) => sessions.configure(actor, id.sessionId, body, key),
    stopSession: ({ actor, id, key }) => sessions.stop(actor, id.sessionId, key),
    endProcess: ({ actor, id, key }) => sessions.endProcess(actor, id.sessionId, key),
    revokeGrant: ({ actor, id, key }) => sessions.revokeGrant(actor, id.sessionId, id.grantId, key),
  }
}
