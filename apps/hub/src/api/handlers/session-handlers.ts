import type { sessionRoutes } from '@roundhouse/backend-types'
import type { SessionServices } from '../../core'
import type { Handlers } from './handlers'
import type { sessionCommandHandlers } from './session-command-handlers'

type Elsewhere = 'uploadImage' | 'uploadFirstImage' | 'getImage' | 'readArtifact'
type Routes = Exclude<keyof typeof sessionRoutes, Elsewhere | keyof ReturnType<typeof sessionCommandHandlers>>

export function sessionHandlers({ sessions, permissions, inbox }: SessionServices): Handlers<Routes> {
  return {
    getInbox: ({ actor }) => inbox.get(actor),
    listSessions: ({ actor, query }) => sessions.list(actor, query),
    createSession: ({ actor, body, key }) => sessions.create(actor, body, key),
    getSession: ({ actor, id, query }) => sessions.snapshot(actor, id.sessionId, query.limit),
    listEvents: ({ actor, id, query }) => sessions.events(actor, id.sessionId, query),
    listFiles: ({ actor, id, query }) => sessions.files(actor, id.sessionId, query.query),
    listSlashCommands: ({ actor, id }) => sessions.commands(actor, id.sessionId),
    querySession: ({ actor, id, body, key }) => sessions.query(actor, id.sessionId, body, key),
    changeSession: ({ actor, id, body }) => sessions.rename(actor, id.sessionId, body),
    deleteSession: ({ actor, id, key }) => sessions.remove(actor, id.sessionId, key),
    readCommand: async ({ actor, id }) => sessions.commandText(actor, id.sessionId, id.commandId),
    dismissCommand: async ({ actor, id }) => {
      await sessions.dismissCommand(actor, id.sessionId, id.commandId)
      return { ok: true as const }
    },
    decidePermission: ({ actor, id, body, key, device }) => permissions.decide(actor, id.requestId, body, key, device),
  }
}
