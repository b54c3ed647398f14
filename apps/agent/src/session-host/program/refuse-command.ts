/** Asks the session's program, without starting it, whether a command may and can be carried out (CMD-9, CAP-3). */
import {
  type BackendAdapter,
  type CodedError,
  type Command,
  type CommandBody,
  needsCapability,
  type ProgramFacts,
  type SessionSettings,
  unorderedCommands,
  unsupportedCommand,
} from '@roundhouse/backend-types'
import { isText, refusePrompt } from './refuse-prompt'

export interface RefusePorts {
  /** Undefined before the session is created. */
  settings(): SessionSettings | undefined
  /** Rejects if there is no such program here. */
  adapter(backend: string): Promise<BackendAdapter>
}

export const factsOf = ({ type, capabilities, accepted }: BackendAdapter): ProgramFacts => ({
  label: capabilities.humanLabel ?? type,
  capabilities,
  accepted,
})

/** Null at once where the program has no say, so that the command takes effect in this step. */
export function refuseCommand(ports: RefusePorts, { body }: Command): Promise<CodedError | null> | null {
  // What overtakes others concerns what runs, which answers for itself.
  const asks = needsCapability(body) && !unorderedCommands.has(body.kind)
  return asks || isText(body) ? askProgram(ports, body) : null
}

/** Also null if the program is not installed: starting it then reports the error. */
async function askProgram(ports: RefusePorts, body: CommandBody): Promise<CodedError | null> {
  const present = body.kind === 'session.create' ? body.settings : ports.settings()
  if (!present) return null
  const adapter = () => ports.adapter(present.backend).catch(() => null)
  return (
    (await refusePrompt(adapter, body)) ?? (needsCapability(body) ? refuseUnsupported(adapter, body, present) : null)
  )
}

async function refuseUnsupported(
  find: () => Promise<BackendAdapter | null>,
  body: CommandBody,
  present: SessionSettings,
): Promise<CodedError | null> {
  const adapter = await find()
  return adapter && unsupportedCommand(factsOf(adapter), body, present)
}
