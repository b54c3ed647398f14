/** A message of a person from a channel (a chat), and what its bridge is told while a program answers. */
import { z } from 'zod'
import { Millis } from '../common/ids'
import type { ReplyPayload } from './delivery'

export const ChannelMessage = z.object({
  /** The channel's own ids, here and in `from`, `channelId` and `replyToId`. */
  id: z.string(),
  text: z.string(),
  from: z.string(),
  channelId: z.string(),
  /** `telegram` for example. */
  provider: z.string(),
  timestamp: Millis,
  replyToId: z.string().optional(),
  mediaUrls: z.array(z.string()).optional(),
  userName: z.string().optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
})
export type ChannelMessage = z.infer<typeof ChannelMessage>

type Told = ((payload: ReplyPayload) => Promise<void> | void) | undefined

export interface BridgeCallbacks {
  /** A piece of a text that is still being written. */
  onPartialReply?: Told
  /** A finished block of text. */
  onBlockReply?: Told
  onToolResult?: Told
}
