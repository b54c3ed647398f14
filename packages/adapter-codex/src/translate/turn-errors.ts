/** The errors of Codex in the codes of the error table. Pure. */

import { RpcError, saysNoSuchModel } from '@roundhouse/adapter-kit'
import { asNumber, asRecord, asText, compact } from '@roundhouse/adapter-kit/read'
import { CodedError, type CodedReason, type ErrorCode } from '@roundhouse/backend-types'

const codeOfName: Record<string, ErrorCode> = {
  unauthorized: 'BACKEND_AUTH',
  usageLimitExceeded: 'BACKEND_QUOTA',
  rateLimitExceeded: 'BACKEND_QUOTA',
  sessionBudgetExceeded: 'BACKEND_QUOTA',
  contextWindowExceeded: 'CONVERSATION_TOO_LONG',
  serverOverloaded: 'BACKEND_OVERLOADED',
  flexUnavailable: 'BACKEND_OVERLOADED',
  policyCapacityUnavailable: 'BACKEND_OVERLOADED',
}

const codeOfStatus: Record<number, ErrorCode> = {
  401: 'BACKEND_AUTH',
  403: 'BACKEND_AUTH',
  429: 'BACKEND_QUOTA',
  503: 'BACKEND_OVERLOADED',
  529: 'BACKEND_OVERLOADED',
}

/** `codexErrorInfo` is a name, or `{ name: { httpStatusCode } }`. */
export function httpStatusOf(codexErrorInfo: unknown): number | undefined {
  return asNumber(asRecord(Object.values(asRecord(codexErrorInfo))[0]).httpStatusCode)
}

export function turnErrorOf(error: unknown, limitEnd?: number): CodedReason {
  const { codexErrorInfo, message } = asRecord(error)
  const name = asText(codexErrorInfo)
  const said = sentenceOf(asText(message) ?? 'Codex reported an error without a message.')
  const code =
    (name === undefined ? codeOfStatus[httpStatusOf(codexErrorInfo) ?? 0] : codeOfName[name]) ??
    (saysNoSuchModel(said) ? 'MODEL_UNAVAILABLE' : 'BACKEND_ERROR')
  return compact({ code, message: said, resetsAt: code === 'BACKEND_QUOTA' ? limitEnd : undefined })
}

/** Of an error whose shape it does not know, Codex passes the whole body on: `{"detail":"..."}`. */
function sentenceOf(message: string): string {
  if (!message.startsWith('{')) return message
  try {
    const { detail, error } = asRecord(JSON.parse(message))
    return asText(detail) ?? asText(asRecord(error).message) ?? message
  } catch {
    return message
  }
}

/** When the limit ends that is used up, in milliseconds, from `account/rateLimits/updated`. */
export function limitEndOf(rateLimits: unknown): number | undefined {
  const { primary, secondary } = asRecord(rateLimits)
  const ends = [primary, secondary].flatMap((window) => {
    const { usedPercent, resetsAt } = asRecord(window)
    return (asNumber(usedPercent) ?? 0) >= 100 ? (asNumber(resetsAt) ?? []) : []
  })
  return ends.length === 0 ? undefined : Math.max(...ends) * 1000
}

const openElsewhere = 'This conversation is open in another Codex, in a terminal for example.'

/** Why a thread could not be started or resumed. */
export function threadErrorOf(error: unknown, resuming: boolean): CodedError {
  if (error instanceof CodedError) return error
  const message = error instanceof Error ? error.message : String(error)
  // Two programs on one conversation are refused by Codex itself (RES-9).
  if (/active writer/i.test(message)) return new CodedError('ALREADY_RUNNING', openElsewhere, { message }, error)
  const unknownId = error instanceof RpcError && /rollout|session id|thread id|thread not found|archived/i.test(message)
  if (resuming && unknownId) return new CodedError('RESUME_UNAVAILABLE', undefined, { message }, error)
  return new CodedError('BACKEND_ERROR', message, undefined, error)
}
