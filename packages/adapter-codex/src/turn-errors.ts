/** The errors of Codex in the codes of the error table. Pure. */
import { CodedError, type ErrorCode } from '@roundhouse/backend-types'
import { asNumber, asRecord, asText } from './read'
import { RpcError } from './rpc'

const codeOfName: Record<string, ErrorCode> = {
  unauthorized: 'BACKEND_AUTH',
  usageLimitExceeded: 'BACKEND_QUOTA',
  rateLimitExceeded: 'BACKEND_QUOTA',
  sessionBudgetExceeded: 'BACKEND_QUOTA',
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

export function turnErrorOf(error: unknown): { code: ErrorCode; message: string } {
  const { codexErrorInfo, message } = asRecord(error)
  const name = asText(codexErrorInfo)
  const code = name === undefined ? codeOfStatus[httpStatusOf(codexErrorInfo) ?? 0] : codeOfName[name]
  return { code: code ?? 'BACKEND_ERROR', message: asText(message) ?? 'Codex reported an error without a message.' }
}

/** Why a thread could not be started or resumed. */
export function threadErrorOf(error: unknown, resuming: boolean): CodedError {
  if (error instanceof CodedError) return error
  const message = error instanceof Error ? error.message : String(error)
  const unknownId = error instanceof RpcError && /rollout|session id|thread id|thread not found|archived/i.test(message)
  if (resuming && unknownId) return new CodedError('RESUME_UNAVAILABLE', undefined, { message }, error)
  return new CodedError('BACKEND_ERROR', message, undefined, error)
}
