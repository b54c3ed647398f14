/** Every frame is checked against its row at this edge; every answer has one shape; nothing thrown leaves it. */
import {
  type CodedError,
  type ErrorBody,
  type FrameSpec,
  type FrameTable,
  type ReplyTo,
  readFrame,
  toCodedError,
} from '@roundhouse/backend-types'
import type { Socket } from 'socket.io'
import type { z } from 'zod'
import type { LinkLane } from './link-lane'

type AnyReply = (reply: { ok: true } | { ok: false; error: ErrorBody }) => void

export interface Handler<F extends FrameSpec> {
  /** In which it waits for its turn. Without one it is handled at once. */
  lane?: LinkLane
  run: (frame: z.output<F['frame']>) => Promise<ReplyTo<F>> | ReplyTo<F>
  /** A frame of the wrong shape, before it is answered. May replace the error. */
  onMalformed?: (frame: unknown) => Promise<CodedError | null>
  onError?: (error: CodedError) => void
  /** The good answer has been given. */
  onAnswered?: () => void
}

/** A new row of the table is an error here until somebody handles it. */
export type Handlers<T extends FrameTable> = { [N in keyof T]: Handler<T[N]> }

export function handleAll<T extends FrameTable>(socket: Socket, table: T, handlers: Handlers<T>): void {
  for (const name of Object.keys(table)) {
    handle(socket, name, table[name] as FrameSpec, handlers[name] as unknown as Handler<FrameSpec>)
  }
}

function handle(socket: Socket, name: string, row: FrameSpec, handler: Handler<FrameSpec>): void {
  socket.on(name, (frame: unknown, reply: unknown) => {
    const work = () => run(row, handler, frame)
    void (handler.lane?.run(name, frame, work) ?? work()).then(
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

async function run(row: FrameSpec, handler: Handler<FrameSpec>, frame: unknown): Promise<object> {
  let read: unknown
  try {
    read = readFrame(row.frame, frame)
  } catch (malformed) {
    throw (await handler.onMalformed?.(frame)) ?? malformed
  }
  return (await handler.run(read)) ?? {}
}
