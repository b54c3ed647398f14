/** The hub's end of one agent socket. A request that the socket cannot answer any more fails at once, not at its timeout. */
import {
  CodedError,
  CommandNews,
  type ErrorCode,
  fromErrorBody,
  type Reply,
  type Verdict,
} from '@roundhouse/backend-types'
import type { Socket } from 'socket.io'
import { z } from 'zod'
import type { AgentLink } from '../core'

const COMMAND_MS = 20_000
const Answered = z.object({ answer: CommandNews.shape.answer })

export function createAgentLink(socket: Socket): AgentLink {
  return {
    command: async (command) => answerOf(await ask(socket, 'command', command, COMMAND_MS)),
    cancel: async (cancel) => answerOf(await ask(socket, 'command.cancel', cancel, COMMAND_MS)),
    ask: async (question, timeoutMs) =>
      (await ask<{ answer: unknown }>(socket, 'question', question, timeoutMs)).answer,
    verdict: (verdict: Verdict) => void socket.emit('verdict', verdict),
    hold: (ms, code) => void socket.emit('hold', { ms, code }),
    close: (why) => closeWith(socket, why),
  }
}

export function closeWith(socket: Socket, why: { code: ErrorCode; message: string }): void {
  socket.emit('revoked', why)
  socket.disconnect(true)
}

function answerOf(reply: object) {
  const { answer } = Answered.parse(reply)
  const error = answer.error ?? new CodedError('INTERNAL').toBody()
  if (answer.state !== 'refused') return { state: answer.state }
  return { state: answer.state, error: { code: error.code, message: error.message, retryable: error.retryable } }
}

async function ask<T extends object>(socket: Socket, event: string, body: object, timeoutMs: number): Promise<T> {
  const lost = whenLost(socket)
  try {
    const answered = socket.timeout(timeoutMs).emitWithAck(event, body) as Promise<Reply<T>>
    const reply = await Promise.race([answered, lost.promise])
    if (reply?.ok === true) return reply
    throw reply?.error ? fromErrorBody(reply.error) : new CodedError('MALFORMED_FRAME')
  } catch (cause) {
    if (cause instanceof CodedError) throw cause
    throw new CodedError('QUESTION_TIMEOUT', undefined, undefined, cause)
  } finally {
    lost.forget()
  }
}

function whenLost(socket: Socket): { promise: Promise<never>; forget: () => void } {
  let forget = () => {}
  const promise = new Promise<never>((_resolve, reject) => {
    const fail = () => reject(new CodedError('AGENT_OFFLINE'))
    if (!socket.connected) fail()
    socket.once('disconnect', fail)
    forget = () => socket.off('disconnect', fail)
  })
  promise.catch(() => {}) // the race may be over before it fails
  return { promise, forget }
}
