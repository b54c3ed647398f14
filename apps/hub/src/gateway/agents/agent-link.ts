/** The hub's end of one agent socket. A request that the socket cannot answer any more fails at once, not at its timeout. */
import {
  type AgentToHub,
  CodedError,
  type CommandAnswer,
  ErrorBody,
  type ErrorCode,
  type FrameOf,
  fromErrorBody,
  type HubToAgent,
  hubToAgent,
  type Reply,
  type ReplyTo,
  readAnswer,
  readFrame,
  readRefusal,
} from '@roundhouse/backend-types'
import type { Socket } from 'socket.io'
import type { AgentLink } from '../../core'

export type AgentSocket = Socket<AgentToHub, HubToAgent>

const COMMAND_MS = 20_000

export function createAgentLink(socket: AgentSocket): AgentLink {
  const ask = createAsk(socket)
  return {
    command: async (command) => answerOf(await ask('command', command, COMMAND_MS)),
    cancel: async (cancel) => answerOf(await ask('command.cancel', cancel, COMMAND_MS)),
    ask: async (question, timeoutMs) => {
      const { answer } = await ask('question', question, timeoutMs)
      return readAnswer<(typeof question)['kind']>(question.kind, answer)
    },
    verdict: (verdict) => void socket.emit('verdict', verdict),
    hold: (ms, code) => void socket.emit('hold', { ms, code }),
    auditHead: (head) => void socket.emit('auditHead', head),
    attention: (sessionIds) => void socket.emit('attention', { sessionIds }),
    close: (why) => closeWith(socket, why),
  }
}

export function closeWith(socket: AgentSocket, { code, message }: { code: ErrorCode; message: string }): void {
  socket.emit('revoked', { code, message })
  socket.disconnect(true)
}

function answerOf({ answer }: ReplyTo<(typeof hubToAgent)['command']>): CommandAnswer {
  const error = answer.error ?? new CodedError('INTERNAL').toBody()
  if (answer.state !== 'refused') return { state: answer.state }
  const { code, message, retryable, details } = error
  // Of the details, the hub keeps the name of the refused setting alone (POL-1).
  const { field } = (details ?? {}) as { field?: unknown }
  return {
    state: answer.state,
    error: { code, message, retryable, ...(field === undefined ? {} : { details: { field } }) },
  }
}

type Asked = 'command' | 'command.cancel' | 'question'
type Ask = <E extends Asked>(
  event: E,
  body: FrameOf<HubToAgent, E>,
  timeoutMs: number,
) => Promise<ReplyTo<(typeof hubToAgent)[E]>>
type Emit = (event: string, body: unknown, answered: (late: unknown, reply: Reply | undefined) => void) => void

function createAsk(socket: AgentSocket): Ask {
  const waiting = new Set<(error: CodedError) => void>()
  socket.on('disconnect', () => {
    for (const fail of waiting) fail(new CodedError('AGENT_OFFLINE'))
  })
  return async <E extends Asked>(event: E, body: FrameOf<HubToAgent, E>, timeoutMs: number) => {
    if (!socket.connected) throw new CodedError('AGENT_OFFLINE')
    const timed = socket.timeout(timeoutMs) as unknown as { emit: Emit }
    const reply = await new Promise<Reply | undefined>((resolve, reject) => {
      waiting.add(reject)
      timed.emit(event, body, (late, answer) => {
        waiting.delete(reject)
        if (late) reject(new CodedError('QUESTION_TIMEOUT'))
        else resolve(answer)
      })
    })
    const refused = reply as { error?: unknown; answer?: unknown } | null | undefined
    const isAnswered = reply?.ok === true && refused?.answer !== undefined
    if (event === 'question' && !isAnswered) throw readRefusal(refused?.error)
    if (reply?.ok === true) return readFrame(hubToAgent[event].reply, reply) as ReplyTo<(typeof hubToAgent)[E]>
    const error = ErrorBody.safeParse(refused?.error)
    throw error.success ? fromErrorBody(error.data) : new CodedError('MALFORMED_FRAME')
  }
}
