/** Questions to the running program, by the names that the bridge and the REST interface use. */
import { changeOfQuery, requireTold } from '@roundhouse/adapter-kit'
import { type BackendConfiguration, CodedError } from '@roundhouse/backend-types'
import { asRecord, type Frame, textAt } from './wire/frames'

interface Asked {
  /** What the program said about itself at the start. */
  introduction: Frame
  request(request: Frame): Promise<Frame>
  configure(change: BackendConfiguration): Promise<Array<keyof BackendConfiguration>>
}

export async function query(session: Asked, method: string, params: unknown): Promise<unknown> {
  const change = changeOfQuery(method, params)
  if (change) return requireTold(method, await session.configure(change))
  switch (method) {
    case 'supportedModels':
      return session.introduction.models ?? []
    case 'supportedCommands':
      return session.introduction.commands ?? []
    case 'accountInfo':
      return session.introduction.account ?? {}
    case 'mcpServerStatus':
      return (await session.request({ subtype: 'mcp_status' })).mcpServers ?? []
    case 'rewindFiles':
      return session.request(rewindOf(asRecord(params)))
    default:
      throw new CodedError('UNSUPPORTED', undefined, { method })
  }
}

/** Its answer says whether it can, and which files change; with `dryRun` nothing changes. */
function rewindOf(params: Frame | undefined): Frame {
  const id = textAt(params, 'userMessageId')
  if (id === undefined) throw new CodedError('INVALID_ARGUMENT', 'userMessageId: must be a text')
  return { subtype: 'rewind_files', user_message_id: id, ...(params?.dryRun === true ? { dry_run: true } : {}) }
}
