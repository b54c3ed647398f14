import type { sessionRoutes } from '@roundhouse/backend-types'
import type { SessionServices } from '../../core'
import type { Handlers } from './handlers'

export function sessionHandlers({
  sessions,
  permissions,
  inbox,
}: SessionServices): Handlers<
  Exclude<keyof typeof sessionRoutes, 'uploadImage' | 'uploadFirstImage' | 'getImage' | 'readArtifact'>
> {
  return {
    getInbox: ({ actor }) => inbox.get(actor),
    listSessions: ({ actor, query }) => sessions.list(actor, query),
    createSession: ({ actor, body, key }) => sessions.create(actor, body, key),
    getSession: ({ actor, id, query }) => sessions.snapshot(actor, id.sessionId, query.limit),
    listEvents: ({ actor, id, query }) => sessions.events(actor, id.sessionId, query),
    listFiles: ({ actor, id, query }) => sessions.files(actor, id.sessionId, query.query),
    listSlashCommands: ({ actor, id }) => sessions.commands(actor, id.sessionId),
    changeSession: ({ actor, id, body }) => sessions.rename(actor, id.sessionId, body),
    deleteSession: ({ actor, id, key }) => sessions.remove(actor, id.sessionId, key),
    sendPrompt: ({ actor, id, body, key }) => sessions.prompt(actor, id.sessionId, body, key),
    editQueue: ({ actor, id, body, key }) => sessions.queue(actor, id.sessionId, body, key),
    interruptTurn: ({ actor, id, body, key }) => sessions.interrupt(actor, id.sessionId, body, key),
    stopTask: ({ actor, id, body, key }) => sessions.stopTask(actor, id.sessionId, body, key),
    resumeSession: ({ actor, id, body, key }) => sessions.resume(actor, id.sessionId, body, key),
    configureSession: ({ actor, id, body, key }) => sessions.configure(actor, id.sessionId, body, key),
    stopSession: ({ actor, id, key }) => sessions.stop(actor, id.sessionId, key),
    endProcess: ({ actor, id, key }) => sessions.endProcess(actor, id.sessionId, key),
    revokeGrant: ({ actor, id, key }) => sessions.revokeGrant(actor, id.sessionId, id.grantId, key),
    readCommand: async ({ actor, id }) => sessions.commandText(actor, id.sessionId, id.commandId),
    dismissCommand: async ({ actor, id }) => {
      await sessions.dismissCommand(actor, id.sessionId, id.commandId)
      return { ok: true as const }
    },
    decidePermission: ({ actor, id, body, key, device }) => permissions.decide(actor, id.requestId, body, key, device),
  }
}
