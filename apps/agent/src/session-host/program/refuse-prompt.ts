/** Decides whether a text may become a prompt of this session's program, whichever command brings it (CMD-9). */
import { type BackendAdapter, type CodedError, type CommandBody, commandName } from '@roundhouse/backend-types'

/** Only a text that looks like a command of the program has to be looked up. */
export async function refusePrompt(
  find: () => Promise<BackendAdapter | null>,
  body: CommandBody,
): Promise<CodedError | null> {
  const text = textOf(body)
  if (text === undefined || commandName(text) === null) return null
  return (await find())?.refusePrompt?.(text) ?? null
}

/** True for commands whose text becomes a prompt. */
export const isText = ({ kind }: CommandBody): boolean =>
  kind === 'prompt.send' || kind === 'session.create' || kind === 'queue.edit'

function textOf(body: CommandBody): string | undefined {
  if (body.kind === 'session.create') return body.prompt?.text
  return body.kind === 'prompt.send' || body.kind === 'queue.edit' ? body.text : undefined
}
