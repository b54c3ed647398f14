/** What an error of the Bot API means. Errors of the library name addresses, and an address contains the token: none of their texts is kept. Pure. */
import type { GrammyError, HttpError } from 'grammy'
import { ChannelError, type ChannelFault } from '../port/channel'

/** A longer pause is asked for again. */
const LONGEST_PAUSE_MS = 3_600_000

/** The system says that nothing was sent. */
const unsent = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])
const noMessage =
  /message to (edit|delete) not found|message can't be edited|message can't be deleted|MESSAGE_ID_INVALID/i
const noPress = /query is too old|query_id_invalid/i
const noChat = /chat not found|user is deactivated|bot was blocked|bot can't initiate/i
/** Where a request answers nothing wrong, the message says that already. */
export const isUnchanged = (error: unknown): boolean => /message is not modified/i.test(descriptionOf(error))

const isApiError = (error: unknown): error is GrammyError => error instanceof Error && error.name === 'GrammyError'
const isHttpError = (error: unknown): error is HttpError => error instanceof Error && error.name === 'HttpError'
const descriptionOf = (error: unknown) => (isApiError(error) ? error.description : '')

export function toChannelError(error: unknown): ChannelError {
  if (error instanceof ChannelError) return error
  if (isApiError(error)) {
    const { error_code: code, parameters } = error
    const retryAfterMs = Math.min((parameters.retry_after ?? 1) * 1_000, LONGEST_PAUSE_MS)
    return new ChannelError(faultOfAnswer(error), `the Bot API answered ${code}`, code === 429 ? retryAfterMs : 0)
  }
  const code = isHttpError(error) ? systemCodeOf(error.error) : null
  const fault: ChannelFault = code !== null && unsent.has(code) ? 'unreachable' : 'unsure'
  return new ChannelError(fault, code ?? 'no answer of the Bot API')
}

function faultOfAnswer({ error_code: code, description }: GrammyError): ChannelFault {
  if (code === 429) return 'later'
  if (code === 401 || code === 404) return 'token_refused'
  if (code === 409) return 'taken'
  if (code >= 500) return 'unsure'
  if (code === 403 || noChat.test(description)) return 'closed'
  return noMessage.test(description) || noPress.test(description) ? 'gone' : 'refused'
}

/** `fetch` puts the error of the system below its own. */
function systemCodeOf(error: unknown): string | null {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    const { code } = at as NodeJS.ErrnoException
    if (typeof code === 'string') return code
    if (at instanceof AggregateError && at.errors.length > 0) return systemCodeOf(at.errors[0])
  }
  return null
}
