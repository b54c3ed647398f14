/** Every frame is checked against its schema at this edge; every answer has one shape; nothing thrown leaves it. */
import { CodedError, type ErrorBody, toCodedError } from '@roundhouse/backend-types'
import type { Socket } from 'socket.io'
import type { z } from 'zod'
import type { LinkLane } from './link-lane'

type AnyReply = (reply: { ok: true } | { ok: false; error: ErrorBody }) => void

export interface Handler<S extends z.ZodType> {
  event: string
  schema: S
  /** In which it waits for its turn. Without one it is handled at once. */
  lane?: LinkLane
  run: (frame: z.output<S>) => Promise<object> | object
  /** A frame of the wrong shape, before it is answered. May replace the error. */
  onMalformed?: (frame: unknown) => Promise<CodedError | null>
  onError?: (error: CodedError) => void
  /** The good answer has been given. */
  onAnswered?: () => void
}

export function handle<S extends z.ZodType>(socket: Socket, handler: Handler<S>): void {
  socket.on(handler.event, (frame: unknown, reply: unknown) => {
    const work = () => run(handler, frame)
    void (handler.lane?.run(handler.event, frame, work) ?? work()).then(
      (answer) => {
        if (typeof reply === 'function') (reply as AnyReply)({ ok: true, ...answer })
        handler.onAnswered?.()
      },
      (thrown: unknown) => {
        const error = toCodedError(thrown)
        handler.onError?.(error)
        if (typeof reply === 'function') (reply as AnyReply)({ ok: false, error: error.toBody() })
      },
    )
  })
}

async function run<S extends z.ZodType>(handler: Handler<S>, frame: unknown): Promise<object> {
  const parsed = handler.schema.safeParse(frame)
  if (parsed.success) return handler.run(parsed.data)
  const issue = parsed.error.issues[0]
  const where = issue?.path.map(String).join('.') || 'frame'
  const malformed = new CodedError('MALFORMED_FRAME', `${where}: ${issue?.message ?? 'not understood'}`)
  throw (await handler.onMalformed?.(frame)) ?? malformed
}
