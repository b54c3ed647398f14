/**
 * What the CLI says when something failed -> a code of the error table. The status of the model service decides where
 * there is one; otherwise the CLI's own category word, and only then its sentence.
 */
import { saysNoSuchModel } from '@roundhouse/adapter-kit'
import type { CodedReason, ErrorCode } from '@roundhouse/backend-types'
import { type Frame, numberAt, recordAt, textAt } from '../wire/frames'

export interface Failure {
  /** HTTP status of the model service. */
  status?: number | undefined
  /** `error` of the assistant frame that stands for the failure, for example `authentication_failed`. */
  category?: string | undefined
  text: string
}

const byStatus: Record<number, ErrorCode> = {
  401: 'BACKEND_AUTH',
  402: 'BACKEND_QUOTA',
  403: 'BACKEND_AUTH',
  413: 'CONVERSATION_TOO_LONG',
  429: 'BACKEND_QUOTA',
  503: 'BACKEND_OVERLOADED',
  529: 'BACKEND_OVERLOADED',
}
const byCategory: Record<string, ErrorCode> = {
  authentication_failed: 'BACKEND_AUTH',
  oauth_org_not_allowed: 'BACKEND_AUTH',
  billing_error: 'BACKEND_QUOTA',
  model_not_found: 'MODEL_UNAVAILABLE',
  rate_limit: 'BACKEND_QUOTA',
  overloaded: 'BACKEND_OVERLOADED',
}
const bySentence: Array<[RegExp, ErrorCode]> = [
  [/No conversation found|--resume requires a valid session/i, 'RESUME_UNAVAILABLE'],
  [/Session ID .* is already in use/i, 'ALREADY_RUNNING'],
  [/Not logged in|Invalid API key|run \/login|OAuth token|Authentication failed/i, 'BACKEND_AUTH'],
  [/prompt is too long/i, 'CONVERSATION_TOO_LONG'],
  [/usage limit|credit balance/i, 'BACKEND_QUOTA'],
  [/overloaded/i, 'BACKEND_OVERLOADED'],
]

export function codeOf(failure: Failure): ErrorCode {
  return (
    (failure.status === undefined ? undefined : byStatus[failure.status]) ??
    (failure.category === undefined ? undefined : byCategory[failure.category]) ??
    bySentence.find(([pattern]) => pattern.test(failure.text))?.[1] ??
    (saysNoSuchModel(failure.text) ? 'MODEL_UNAVAILABLE' : 'BACKEND_ERROR')
  )
}

/** Faults of the launch: starting again would end the same way, so none of them is retryable. */
const byStartSentence: Array<[RegExp, ErrorCode]> = [
  [/cannot be used with root/i, 'UNSUPPORTED'],
  [/^error: (option|unknown option)|Invalid MCP configuration|Invalid session ID/im, 'INVALID_ARGUMENT'],
]

/** Why the CLI ended before it answered, from the last it printed on stderr. */
export function startFailure(stderrTail: string, exit: string): { code: ErrorCode; message: string } {
  const text = stderrTail.trim()
  const own = byStartSentence.find(([pattern]) => pattern.test(text))?.[1]
  const code = own ?? codeOf({ text })
  const sentence = text
    .replace(/^Error: /i, '')
    .split(/\n/)
    .map((line) => line.trim())
    .join(' ')
  return {
    code: code === 'BACKEND_ERROR' ? 'BACKEND_CRASHED' : code,
    message: sentence === '' ? `Claude Code ended before it was ready (${exit}).` : sentence.slice(0, 300),
  }
}

/** A key that was refused so often is wrong. Before that, a helper or a login may have made a new one. */
const REFUSALS = 3

/** From an `api_retry`: what the CLI will be refused however often it tries. Its own sentence would come after all attempts. */
export function refusalOf(retry: Frame): CodedReason | undefined {
  const attempt = numberAt(retry, 'attempt') ?? 0
  if (numberAt(retry, 'error_status') !== 401 || attempt < REFUSALS) return undefined
  const word = textAt(retry, 'error') ?? 'refused'
  return {
    code: 'BACKEND_AUTH',
    message: `The model service refused the key or login of Claude Code (401, ${word}).`,
  }
}

/** From a `rate_limit_event`: when the limit ends that is used up, in milliseconds. */
export function limitEndOf(event: Frame): number | undefined {
  const info = recordAt(event, 'rate_limit_info')
  const seconds = textAt(info, 'status') === 'rejected' ? numberAt(info, 'resetsAt') : undefined
  return seconds === undefined ? undefined : seconds * 1000
}
