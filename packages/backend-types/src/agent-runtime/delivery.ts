/** What goes back to whoever started a run: its result, and what its program sent elsewhere. Field names are those of the document. */
import { z } from 'zod'
import { AgentRunResult } from './execute'

export const McpMessageTarget = z.object({
  /** The name of the tool that sent it: `send_message` for example. */
  tool: z.string(),
  /** `roundhouse`, or the channel: `telegram` for example. */
  provider: z.string(),
  accountId: z.string().optional(),
  /** A session, a topic, or the channel's own id of a conversation. */
  to: z.string().optional(),
})
export type McpMessageTarget = z.infer<typeof McpMessageTarget>

/** What a program did through the tools of Roundhouse. Nothing done is `[]` and 0. */
export const McpSideEffects = z.object({
  sentTexts: z.array(z.string()),
  sentMediaUrls: z.array(z.string()),
  sentTargets: z.array(McpMessageTarget),
  /** Schedules that it made. */
  cronAdds: z.number().int().min(0),
})
export type McpSideEffects = z.infer<typeof McpSideEffects>

/** One message to a person. */
export const ReplyPayload = z.object({
  text: z.string().optional(),
  mediaUrl: z.string().optional(),
  mediaUrls: z.array(z.string()).optional(),
  replyToId: z.string().optional(),
  isError: z.boolean().optional(),
})
export type ReplyPayload = z.infer<typeof ReplyPayload>

export const AgentDeliveryResult = z.object({
  /** `[{ text }]`, or `[]` where the run said nothing. */
  payloads: z.array(ReplyPayload),
  run: AgentRunResult,
  mcp: McpSideEffects,
  /** A sentence for people; `run.errorSubtype` is the code. */
  error: z.string().optional(),
})
export type AgentDeliveryResult = z.infer<typeof AgentDeliveryResult>
