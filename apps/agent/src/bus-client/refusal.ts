/** What a hub said no to, as a coded error: to a connection, or to a frame. */
import {
  CodedError,
  ErrorBody,
  type ErrorCode,
  errorTable,
  fromErrorBody,
  toCodedError,
} from '@roundhouse/backend-types'
import { z } from 'zod'

const WRONG_TOKEN = 'The hub does not accept this token.'
const OFFLINE = 'the hub cannot be reached'

const Refused = z.object({ ok: z.literal(false), error: ErrorBody })

/** The answer to a frame. Throws where it is a refusal. */
export function requireOk<R extends object>(reply: R): Extract<R, { ok: true }> {
  const refused = Refused.safeParse(reply)
  if (refused.success) throw fromErrorBody(refused.data.error)
  return reply as Extract<R, { ok: true }>
}

/** Of a connection. A namespace refuses with a code as its message; of an upgrade the library has only the status, in a sentence. */
export function refusalOf(error: Error): CodedError {
  const inner = 'description' in error ? error.description : undefined
  const text = inner && typeof inner === 'object' && 'message' in inner ? String(inner.message) : error.message
  if (isCode(text)) return new CodedError(text, text === 'AUTH_REQUIRED' ? WRONG_TOKEN : undefined)
  if (/\b401\b/.test(text)) return new CodedError('AUTH_REQUIRED', WRONG_TOKEN)
  return new CodedError('AGENT_OFFLINE', `${OFFLINE} (${text})`)
}

const isCode = (text: string): text is ErrorCode => Object.hasOwn(errorTable, text)

/** Of a frame: the library throws a plain error where no answer came. */
export const heardNothing = (error: unknown): CodedError =>
  error instanceof CodedError ? error : new CodedError('AGENT_OFFLINE', `${OFFLINE} (${toCodedError(error).message})`)
