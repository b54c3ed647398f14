/** Live text on its way from a host to every page. A separate module, because pages load it. */
import { z } from 'zod'
import { Cursor, ForeignId, Id } from '../common/ids'

/** `offset` is the UTF-16 length of the block before this text (LOG-5). */
export const LiveFrame = z.object({
  sessionId: Id,
  procId: Id,
  blockId: ForeignId,
  kind: z.enum(['assistant_text', 'thinking', 'tool_progress']),
  afterSeq: Cursor,
  offset: z.number().int().min(0),
  text: z.string(),
  turnId: Id.optional(),
  parentCallId: ForeignId.optional(),
  callId: ForeignId.optional(),
  /** The attempt was abandoned: forget the block. */
  discarded: z.boolean().optional(),
})
export type LiveFrame = z.infer<typeof LiveFrame>
