/** Answers the queries of the bridge and of the REST interface for a running program. */
import { changeOfQuery, requireTold } from '@roundhouse/adapter-kit'
import { asList, asRecord, compact, type Json } from '@roundhouse/adapter-kit/read'
import { type BackendConfiguration, CodedError, type SlashCommand } from '@roundhouse/backend-types'
import type { Saying } from './profiles/profile'

interface Asked {
  /** As the reply that opened the conversation has them. */
  models: Json[]
  commands: readonly SlashCommand[]
  configure(change: BackendConfiguration): Promise<Array<keyof BackendConfiguration>>
}

export async function query(session: Asked, method: string, params: unknown): Promise<unknown> {
  const change = changeOfQuery(method, params)
  if (change) return requireTold(method, await session.configure(change))
  switch (method) {
    case 'supportedModels':
      return session.models
    case 'supportedCommands':
      return [...session.commands]
    default:
      throw new CodedError('UNSUPPORTED', undefined, { method })
  }
}

export function modelsOf(opened: Json, saying: Saying | undefined): Json[] {
  if (saying?.by === 'config_option') {
    const option = asList(opened.configOptions)
      .map(asRecord)
      .find(({ id }) => id === saying.id)
    return asList(option?.options)
      .map(asRecord)
      .map(({ value, name, description }) => compact({ value, displayName: name, description }))
  }
  return asList(asRecord(opened.models).availableModels)
    .map(asRecord)
    .map(({ modelId, name, description }) => compact({ value: modelId, displayName: name, description }))
}
