/** The queries of the thin JSON-lines backend, as far as a scripted player can answer them. */
import { CodedError } from '@roundhouse/backend-types'
import { about } from './script/about'
import { models } from './script/catalogue'
import type { Change } from './script/frames'
import { isRecord } from './script/script'
import { changeOf } from './settings'

interface Asked {
  askPlayer(method: string): Promise<unknown>
  change(change: Change): Promise<void>
}

export async function queryScripted(process: Asked, method: string, params: unknown): Promise<unknown> {
  const given = isRecord(params) ? params : {}
  switch (method) {
    case 'supportedModels':
      return models.map(({ code, label, description }) => ({ value: code, displayName: label, description }))
    case 'supportedCommands':
      return []
    case 'accountInfo':
      return { organization: about.label }
    case 'mcpServerStatus':
      return process.askPlayer(method)
    case 'setModel':
      return process.change(changeOf({ model: textOf(given, 'model') }))
    case 'setPermissionMode':
      return process.change(changeOf({ mode: textOf(given, 'mode') }))
    default:
      throw new CodedError('UNSUPPORTED', `The scripted backend has no query "${method}".`, { method })
  }
}

function textOf(params: Record<string, unknown>, name: string): string {
  const value = params[name]
  if (typeof value === 'string') return value
  throw new CodedError('INVALID_ARGUMENT', `"${name}" must be a text.`, { path: name })
}
