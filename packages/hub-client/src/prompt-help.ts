/** What a session's machine says to whoever writes a prompt. Apart from the other routes: a page loads it when somebody types. */
import { CommandsReply, FilesReply } from '@roundhouse/backend-types'
import type { HubRest } from './rest'

export const commandsOf = (rest: HubRest, sessionId: string): Promise<CommandsReply> =>
  rest.read(`/sessions/${sessionId}/commands`, CommandsReply)

export const filesOf = (rest: HubRest, sessionId: string, query: string): Promise<FilesReply> =>
  rest.read(`/sessions/${sessionId}/files`, FilesReply, { query })
