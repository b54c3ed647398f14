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
  const ask = createAsk(socket)
  return {
    command: async (command) => answerOf(await ask('command', command, COMMAND_MS)),
    cancel: async (cancel) => answerOf(await ask('command.cancel', cancel, COMMAND_MS)),
    ask: async (question, timeoutMs) => (await ask<{ answer: unknown }>('question', question, timeoutMs)).answer,
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

type Ask = <T extends object>(event: string, body: object, timeoutMs: number) => Promise<T>

function createAsk(socket: Socket): Ask {
  const waiting = new Set<(error: CodedError) => void>()
  socket.on('disconnect', () => {
    for (const fail of waiting) fail(new CodedError('AGENT_OFFLINE'))
  })
  return async <T extends object>(event: string, body: object, timeoutMs: number) => {
    if (!socket.connected) throw new CodedError('AGENT_OFFLINE')
    const reply = await new Promise<Reply<T>>((resolve, reject) => {
      waiting.add(reject)
      socket.timeout(timeoutMs).emit(event, body, (late: unknown, answer: Reply<T>) => {
        waiting.delete(reject)
        if (late) reject(new CodedError('QUESTION_TIMEOUT'))
        else resolve(answer)
      })
    })
    if (reply?.ok === true) return reply
    throw reply?.error ? fromErrorBody(reply.error) : new CodedError('MALFORMED_FRAME')
  }
}
