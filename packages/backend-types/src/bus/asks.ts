/** What peers of the bus ask (BUS-12): a BLOCKED or REQUEST, and its answer. An answer tells a program something and permits nothing. */
import { z } from 'zod'
import { Id, Millis } from '../common/ids'

/** A program offers it, and reads its id as `chosen` of the approval. */
export const AskOption = z.object({ id: z.string().min(1).max(500), label: z.string().min(1).max(500) })
export type AskOption = z.infer<typeof AskOption>

/** Nobody answered it, and its worker has not moved on. */
export const OpenAsk = z.object({
  /** Goes back as `correlation_id` of the answer. */
  requestId: Id,
  kind: z.enum(['BLOCKED', 'REQUEST']),
  message: z.string(),
  /** In the order of the program; none: it offers none. */
  options: z.array(AskOption),
  at: Millis,
})
export type OpenAsk = z.infer<typeof OpenAsk>

/** In the inbox. */
export const InboxAsk = z.object({
  peerId: Id,
  kind: z.enum(['session', 'token', 'person']),
  /** Of the session or the program. */
  name: z.string(),
  ask: OpenAsk,
})
export type InboxAsk = z.infer<typeof InboxAsk>

/** The first one counts. */
export const AskAnswerRequest = z.object({
  decision: z.enum(['approve', 'reject']),
  /** For the program; of a rejection, the reason. */
  text: z.string().max(4_000).optional(),
  /** Of an approval: the id of an option that the ask offers. */
  option: z.string().min(1).max(500).optional(),
})
export type AskAnswerRequest = z.infer<typeof AskAnswerRequest>

export const AskAnswer = z.object({
  /** The command that answers. A person sends the first two. */
  decision: z.enum(['approve', 'reject', 'set_phase', 'inject_text']),
  option: AskOption.optional(),
  /** The name of the person, or of the program. */
  by: z.string(),
  /** As which peer they answered. */
  peerId: Id,
  at: Millis,
})
export type AskAnswer = z.infer<typeof AskAnswer>

/** What became of an ask. The hub keeps the newest 32 closed ones of a peer. */
export const AskView = z.object({
  peerId: Id,
  requestId: Id,
  state: z.enum(['open', 'closed']),
  /** Null: it is open, or its worker went on without an answer. */
  answer: AskAnswer.nullable(),
})
export type AskView = z.infer<typeof AskView>
