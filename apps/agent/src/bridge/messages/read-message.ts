/** Reads one line of the client: a request, or the error that answers it. Pure. A blank line is nothing. */
import { firstFault } from '@roundhouse/backend-types'
import { type BridgeReplyOf, BridgeRequest } from '@roundhouse/backend-types/bridge'
import type { Line } from '@roundhouse/lines'
import type { z } from 'zod'
import { errorReply, type Named } from './replies'

/** No message of a client is near it: a prompt is much shorter. */
export const LONGEST_LINE_BYTES = 8 * 1024 * 1024

export type ReadLine =
  | { kind: 'request'; request: BridgeRequest }
  | { kind: 'error'; error: BridgeReplyOf<'error'> }
  | { kind: 'blank' }

export function readLine(line: Line): ReadLine {
  if (line.kind === 'too_long') {
    return invalid(`A message has at most ${LONGEST_LINE_BYTES} bytes; this one has ${line.bytes}.`)
  }
  if (line.text.trim() === '') return { kind: 'blank' }
  let message: unknown
  try {
    message = JSON.parse(line.text)
  } catch (error) {
    return invalid(`The line is no JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
  return readMessage(message)
}

function readMessage(message: unknown): ReadLine {
  const read = BridgeRequest.safeParse(message)
  if (read.success) return { kind: 'request', request: read.data }
  return invalid(faultOf(message, read.error), namesIn(message))
}

function faultOf(message: unknown, error: z.ZodError): string {
  if (typeof message !== 'object' || message === null || Array.isArray(message)) return 'A message is a JSON object.'
  const { type } = message as { type?: unknown }
  if (typeof type !== 'string') return 'type: must be a text'
  if (!types.has(type)) return `Unknown message type: ${type.slice(0, 100)}`
  return firstFault(error, 'message').text
}

const types = new Set<string>(BridgeRequest.options.map((option) => option.shape.type.value))

/** What the message says of itself, so that the error can name it too. */
function namesIn(message: unknown): Named {
  if (typeof message !== 'object' || message === null) return {}
  const { id, session_id } = message as { id?: unknown; session_id?: unknown }
  return {
    ...(typeof id === 'string' && id.length > 0 && id.length <= 256 ? { id } : {}),
    ...(typeof session_id === 'string' ? { session_id } : {}),
  }
}

const invalid = (text: string, named: Named = {}): ReadLine => ({
  kind: 'error',
  error: errorReply('INVALID_MESSAGE', text, named),
})
