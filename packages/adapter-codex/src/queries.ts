/** Questions to the running program, by the names that the bridge and the REST interface use. */
import type { Rpc } from '@roundhouse/adapter-kit'
import { asList, asRecord, asText, compact } from '@roundhouse/adapter-kit/read'
import { type BackendConfiguration, CodedError } from '@roundhouse/backend-types'
import { commands } from './slash-commands'

interface Asked {
  rpc: Rpc
  live: { threadId: string } | undefined
  change(change: BackendConfiguration): void
}

export async function query(session: Asked, method: string, params: unknown): Promise<unknown> {
  const given = asRecord(params)
  const dataOf = async (rpcMethod: string, about: object = {}) =>
    asList(asRecord(await session.rpc.request(rpcMethod, about)).data).map(asRecord)
  switch (method) {
    case 'supportedModels':
      return (await dataOf('model/list')).map((model) =>
        compact({ value: model.model, displayName: model.displayName, description: model.description }),
      )
    case 'supportedCommands':
      return [...commands]
    case 'accountInfo':
      return asRecord(asRecord(await session.rpc.request('account/read', {})).account)
    case 'mcpServerStatus':
      return (await dataOf('mcpServerStatus/list', { threadId: session.live?.threadId })).map((server) =>
        compact({
          name: server.name,
          status: server.toolsError == null ? (asText(server.runtimeStatus) ?? 'pending') : 'failed',
          error: server.toolsError,
          tools: Object.keys(asRecord(server.tools)),
        }),
      )
    case 'setModel':
      session.change({ model: required(given.model, 'model') })
      return null
    case 'setPermissionMode':
      session.change({ mode: required(given.mode, 'mode') })
      return null
    default:
      throw new CodedError('UNSUPPORTED', `Codex answers no query "${method}".`, { method })
  }
}

function required(value: unknown, name: string): string {
  const text = asText(value)
  if (text === undefined) throw new CodedError('INVALID_ARGUMENT', `${name}: must be a text`)
  return text
}
