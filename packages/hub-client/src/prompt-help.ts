/** What a session's machine, and its hub, say to whoever writes a prompt. */
import type { CommandsReply, CommandView, FilesReply } from '@roundhouse/backend-types'
import type { HubRest } from './rest'

export const commandsOf = (rest: HubRest, sessionId: string): Promise<CommandsReply> =>
  rest.call('listSlashCommands', { id: { sessionId } })

export const filesOf = (rest: HubRest, sessionId: string, query: string): Promise<FilesReply> =>
  rest.call('listFiles', { id: { sessionId }, query: { query } })

/** All of what was written with a command: a view has only the beginning of a long text (VIEW-9). */
export async function wholeText(
  rest: HubRest,
  sessionId: string,
  { commandId, text = '', textLength }: Pick<CommandView, 'commandId' | 'text' | 'textLength'>,
): Promise<string> {
  if (textLength === undefined) return text
  return (await rest.call('readCommand', { id: { sessionId, commandId } })).text
}
