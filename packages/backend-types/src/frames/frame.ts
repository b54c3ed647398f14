/** One socket frame as data. Both ends of each socket, their types and `docs/frames.md` derive from the same tables. */
import type { z } from 'zod'
import { CodedError, type Reply } from '../common/errors'
import { firstFault } from '../common/value-fault'

export interface FrameSpec {
  /** For the document: what it says, in a sentence. */
  summary: string
  frame: z.ZodType
  /** What the reply holds beside `ok: true`. Absent: the sender waits for none. */
  reply?: z.ZodType
}

export type FrameTable = Readonly<Record<string, FrameSpec>>

/** What the receiver of a frame has to give. */
// biome-ignore lint/suspicious/noConfusingVoidType: a frame without a reply, whose handler gives nothing
export type ReplyTo<F> = F extends { reply: infer R extends z.ZodType } ? z.output<R> & object : void

/** The event map that socket.io wants of a table. */
export type EventsOf<T extends FrameTable> = {
  -readonly [N in keyof T]: T[N] extends { reply: z.ZodType }
    ? (frame: z.output<T[N]['frame']>, reply: (reply: Reply<ReplyTo<T[N]>>) => void) => void
    : (frame: z.output<T[N]['frame']>) => void
}

/** Changes nothing, and is not stored (CMD-6): `kind` of the question names the row. */
export interface QuestionSpec {
  summary: string
  ask: z.ZodType
  answer: z.ZodType
}

export type QuestionTable = Readonly<Record<string, QuestionSpec>>

/** What the schema makes of it. Throws `MALFORMED_FRAME`, with the place that does not fit. */
export function readFrame<S extends z.ZodType>(schema: S, frame: unknown): z.output<S> {
  const read = schema.safeParse(frame)
  if (read.success) return read.data
  throw new CodedError('MALFORMED_FRAME', firstFault(read.error, 'frame').text)
}
