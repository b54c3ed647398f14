/** Decides whether a text may become a prompt of this session's program, whichever command brings it (CMD-9). */
import { type BackendAdapter, type CodedError, type CommandBody, commandName } from '@roundhouse/backend-types'

export interface PromptPorts {
  /** The session's backend; undefined before it is created. */
  backend(): string | undefined
  adapter(backend: string): Promise<BackendAdapter>
}

/** Also null if the program is not installed: starting it then reports the error. */
export async function refusePrompt(ports: PromptPorts, body: CommandBody): Promise<CodedError | null> {
  const text = textOf(body)
  const backend = body.kind === 'session.create' ? body.settings.backend : ports.backend()
  if (text === undefined || backend === undefined || commandName(text) === null) return null
  const adapter = await ports.adapter(backend).catch(() => null)
  return adapter?.refusePrompt?.(text) ?? null
}

function textOf(body: CommandBody): string | undefined {
  if (body.kind === 'session.create') return body.prompt?.text
  return body.kind === 'prompt.send' || body.kind === 'queue.edit' ? body.text : undefined
}
