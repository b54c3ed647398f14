/** What a runtime takes and what it gives: one prompt in, events out, the result with the last of them. Field names are those of the document. */
import { z } from 'zod'
import { McpServer } from '../adapter/mcp-server'

const Count = z.number().int().min(0)

const ExecuteFields = z.object({
  prompt: z.string(),
  systemPrompt: z.string().optional(),
  /** The program's own id of the conversation to continue. */
  sessionId: z.string().optional(),
  mcpServers: z.record(z.string(), McpServer).optional(),
  workingDirectory: z.string().optional(),
  /** Merged over the environment that the program inherits. */
  env: z.record(z.string(), z.string()).optional(),
})

/** `abortSignal` is no part of the JSON. */
export const AgentExecuteParams = ExecuteFields
export type AgentExecuteParams = z.infer<typeof ExecuteFields> & { abortSignal?: AbortSignal | undefined }

/** Tokens of all turns. `inputTokens` counts everything that was sent, from the cache or not. */
export const AgentUsage = z.object({
  inputTokens: Count,
  outputTokens: Count,
  cacheReadTokens: Count.optional(),
  cacheWriteTokens: Count.optional(),
})
export type AgentUsage = z.infer<typeof AgentUsage>

/** A tool call that did not run because nobody allowed it. */
export const PermissionDenial = z.object({ tool: z.string(), reason: z.string().optional() })
export type PermissionDenial = z.infer<typeof PermissionDenial>

/** What a run came to. A program fills in what it knows; `undefined` keys are absent from the JSON. */
export const AgentRunResult = z.object({
  /** What the program said in its main conversation, its blocks separated by an empty line. */
  text: z.string(),
  /** The program's own id of the conversation. */
  sessionId: z.string().optional(),
  durationMs: z.number().min(0),
  usage: AgentUsage.optional(),
  /** A person or the caller ended it. */
  aborted: z.boolean(),
  totalCostUsd: z.number().min(0).optional(),
  apiDurationMs: z.number().min(0).optional(),
  /** Requests to the model, as the program counts them. */
  numTurns: Count.optional(),
  stopReason: z.string().optional(),
  /** Absent: it did what it was asked. */
  errorSubtype: z.string().optional(),
  permissionDenials: z.array(PermissionDenial).optional(),
})
export type AgentRunResult = z.infer<typeof AgentRunResult>

/** In the order in which they happened. Exactly one `done`, and nothing after it. */
export const AgentEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({
    type: z.literal('tool_use'),
    toolName: z.string(),
    toolId: z.string(),
    input: z.record(z.string(), z.unknown()),
  }),
  z.object({ type: z.literal('tool_result'), toolId: z.string(), output: z.string(), isError: z.boolean().optional() }),
  z.object({ type: z.literal('error'), message: z.string(), code: z.string().optional() }),
  z.object({ type: z.literal('done'), result: AgentRunResult }),
])
export type AgentEvent = z.infer<typeof AgentEvent>
export type AgentEventType = AgentEvent['type']

export interface AgentRuntime {
  /** The events end after `done`. An abort ends the program, and the result says `aborted`. */
  execute(params: AgentExecuteParams): AsyncIterable<AgentEvent>
}
