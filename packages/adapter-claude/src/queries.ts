/** Questions to the running program, by the names that the bridge and the REST interface use. */
import { CodedError } from '@roundhouse/backend-types'
import { requireMode } from './program/launch'
import { asRecord, compact, type Frame, numberAt, textAt } from './wire/frames'

interface Asked {
  /** What the program said about itself at the start. */
  introduction: Frame
  request(request: Frame): Promise<Frame>
}

export async function query(session: Asked, method: string, params: unknown): Promise<unknown> {
  const given = asRecord(params)
  switch (method) {
    case 'supportedModels':
      return session.introduction.models ?? []
    case 'supportedCommands':
      return session.introduction.commands ?? []
    case 'accountInfo':
      return session.introduction.account ?? {}
    case 'mcpServerStatus':
      return (await session.request({ subtype: 'mcp_status' })).mcpServers ?? []
    case 'setModel':
      return session.request(compact({ subtype: 'set_model', model: textAt(given, 'model') }))
    case 'setPermissionMode':
      return session.request({ subtype: 'set_permission_mode', mode: modeOf(given) })
    case 'setMaxThinkingTokens':
      return session.request({ subtype: 'set_max_thinking_tokens', max_thinking_tokens: tokensOf(given) })
    case 'rewindFiles':
      return session.request(rewindOf(given))
    default:
      throw new CodedError('UNSUPPORTED', `Claude Code answers no query "${method}".`, { method })
  }
}

function modeOf(params: Frame | undefined): string {
  const mode = textAt(params, 'mode')
  if (mode === undefined) throw new CodedError('INVALID_ARGUMENT', 'mode: must be a text')
  return requireMode(mode, 'workspace-write')
}

/** `null` goes back to the model's own choice. */
function tokensOf(params: Frame | undefined): number | null {
  return numberAt(params, 'max_thinking_tokens') ?? numberAt(params, 'maxThinkingTokens') ?? null
}

function rewindOf(params: Frame | undefined): Frame {
  const id = textAt(params, 'user_message_id') ?? textAt(params, 'userMessageId')
  if (id === undefined) throw new CodedError('INVALID_ARGUMENT', 'user_message_id: must be a text')
  const dryRun = params?.dry_run === true || params?.dryRun === true
  return { subtype: 'rewind_files', user_message_id: id, ...(dryRun ? { dry_run: true } : {}) }
}
