/** The queries that set something are changes of settings: an adapter carries them out as it carries out `configure`. */
import { type BackendConfiguration, CodedError, ThinkingTokens } from '@roundhouse/backend-types'
import { asRecord, asText } from '../wire/read'

/** Null: the query is none of these. */
export function changeOfQuery(method: string, params: unknown): BackendConfiguration | null {
  const given = asRecord(params)
  switch (method) {
    case 'setModel':
      return { model: required(given.model, 'model') }
    case 'setPermissionMode':
      return { mode: required(given.mode, 'mode') }
    case 'setMaxThinkingTokens': {
      const tokens = ThinkingTokens.safeParse(given.maxThinkingTokens ?? null)
      if (tokens.success) return { maxThinkingTokens: tokens.data }
      throw new CodedError('INVALID_ARGUMENT', 'maxThinkingTokens: must be a whole number or null')
    }
    default:
      return null
  }
}

/** Without an answer: another program would be needed for it, and a query starts none. */
export function requireTold(method: string, untold: ReadonlyArray<keyof BackendConfiguration>): null {
  if (untold.length === 0) return null
  throw new CodedError('UNSUPPORTED', `Only a restart of the program changes that (${untold.join(', ')}).`, { method })
}

function required(value: unknown, name: string): string {
  const text = asText(value)
  if (text !== undefined && text !== '') return text
  throw new CodedError('INVALID_ARGUMENT', `${name}: must be a text`)
}
