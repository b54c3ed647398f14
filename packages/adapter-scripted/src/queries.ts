/** The queries of the thin JSON-lines backend, as far as a scripted player can answer them. */
import { changeOfQuery, requireTold } from '@roundhouse/adapter-kit'
import { type BackendConfiguration, CodedError } from '@roundhouse/backend-types'
import { about } from './script/about'
import { models } from './script/catalogue'
import { commands } from './slash-commands'

interface Asked {
  askPlayer(method: string): Promise<unknown>
  configure(change: BackendConfiguration): Promise<Array<keyof BackendConfiguration>>
}

export async function queryScripted(process: Asked, method: string, params: unknown): Promise<unknown> {
  const change = changeOfQuery(method, params)
  if (change) return requireTold(method, await process.configure(change))
  switch (method) {
    case 'supportedModels':
      return models.map(({ code, label, description }) => ({ value: code, displayName: label, description }))
    case 'supportedCommands':
      return [...commands]
    case 'accountInfo':
      return { organization: about.label }
    case 'mcpServerStatus':
      return process.askPlayer(method)
    default:
      throw new CodedError('UNSUPPORTED', undefined, { method })
  }
}
