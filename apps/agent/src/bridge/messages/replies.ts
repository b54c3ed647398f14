/** The messages of the bridge, from what they are about. Pure. */
import { toCodedError } from '@roundhouse/backend-types'
import type { BridgeErrorCode, BridgeReply, BridgeReplyOf } from '@roundhouse/backend-types/bridge'

/** What an error is about, as far as that is known. */
export interface Named {
  id?: string
  session_id?: string
}

/** Sends one message to the client. */
export type Say = (reply: BridgeReply) => void

export const errorReply = (
  code: BridgeErrorCode,
  message: string,
  { id, session_id }: Named = {},
  details?: unknown,
): BridgeReplyOf<'error'> => ({
  type: 'error',
  ...(id === undefined ? {} : { id }),
  ...(session_id === undefined ? {} : { session_id }),
  payload: { code, message, ...(details === undefined ? {} : { details }) },
})

/** Our own code and what it is about go along: a client may branch on them. */
export function failureReply(code: BridgeErrorCode, error: unknown, named: Named = {}): BridgeReplyOf<'error'> {
  const { code: own, message, details } = toCodedError(error).toBody()
  return errorReply(code, message, named, { code: own, ...details })
}

export const sessionNotFound = ({ id, session_id }: Required<Named>): BridgeReplyOf<'error'> =>
  errorReply('SESSION_NOT_FOUND', `Session not found: ${session_id.slice(0, 100)}`, { id, session_id })

export const queryFailed = (id: string, session_id: string, error: unknown): BridgeReplyOf<'query.result'> => ({
  type: 'query.result',
  id,
  session_id,
  payload: { success: false, error: toCodedError(error).message },
})
