/**
 * Queries of a running program, by the eight names of the published bridge protocol. Four only read (CMD-6). Four change
 * something: at the hub they are commands, and an adapter carries them out as it carries out the setting that they name.
 */
import { z } from 'zod'
import { SlashCommand } from './slash-commands'

export const ReadQuery = z.enum(['supportedModels', 'supportedCommands', 'mcpServerStatus', 'accountInfo'])
export type ReadQuery = z.infer<typeof ReadQuery>

export const ChangeQuery = z.enum(['setModel', 'setPermissionMode', 'setMaxThinkingTokens', 'rewindFiles'])
export type ChangeQuery = z.infer<typeof ChangeQuery>

export type QueryMethod = ReadQuery | ChangeQuery
export const queryMethods: readonly QueryMethod[] = [...ReadQuery.options, ...ChangeQuery.options]

/** `null` goes back to the model's own choice. */
export const ThinkingTokens = z.number().int().min(0).max(1_000_000).nullable()
export type ThinkingTokens = z.infer<typeof ThinkingTokens>

export const queryLimits = { models: 200, commands: 400, servers: 100, tools: 200, name: 200, text: 1_000 } as const

const Name = z.string().max(queryLimits.name)
const Text = z.string().max(queryLimits.text)

export const ModelInfo = z.object({
  /** What a session is told to choose it. */
  value: Name.min(1),
  displayName: Name.optional(),
  description: Text.optional(),
  supportedEffortLevels: z.array(Name).max(16).optional(),
})
export type ModelInfo = z.infer<typeof ModelInfo>

export const McpServerStatus = z.object({
  name: Name.min(1),
  /** `connected`, `failed`, `needs-auth`, `pending`, or a word of the program. */
  status: Name,
  error: Text.optional(),
  serverInfo: z.object({ name: Name.optional(), version: Name.optional() }).optional(),
  tools: z
    .array(z.object({ name: Name.min(1), description: Text.optional() }))
    .max(queryLimits.tools)
    .optional(),
})
export type McpServerStatus = z.infer<typeof McpServerStatus>

/** Of the machine's owner. */
export const AccountInfo = z.object({
  email: Text.optional(),
  organization: Text.optional(),
  subscriptionType: Name.optional(),
  tokenSource: Name.optional(),
  apiKeySource: Name.optional(),
})
export type AccountInfo = z.infer<typeof AccountInfo>

export const QueryAnswer = z.discriminatedUnion('method', [
  z.object({ method: z.literal('supportedModels'), result: z.array(ModelInfo).max(queryLimits.models) }),
  z.object({ method: z.literal('supportedCommands'), result: z.array(SlashCommand).max(queryLimits.commands) }),
  z.object({ method: z.literal('mcpServerStatus'), result: z.array(McpServerStatus).max(queryLimits.servers) }),
  z.object({ method: z.literal('accountInfo'), result: AccountInfo }),
])
export type QueryAnswer = z.infer<typeof QueryAnswer>

/** Of `rewindFiles`, as an adapter gives it. */
export const RewindResult = z.object({
  canRewind: z.boolean(),
  error: z.string().optional(),
  filesChanged: z.array(z.string()).optional(),
})
export type RewindResult = z.infer<typeof RewindResult>

/** The arguments of a method by their names, as `BackendAdapter.query` takes them. */
export function queryParams(method: string, args: readonly unknown[]): Record<string, unknown> {
  switch (method) {
    case 'setModel':
      return { model: args[0] }
    case 'setPermissionMode':
      return { mode: args[0] }
    case 'setMaxThinkingTokens':
      return { maxThinkingTokens: args[0] }
    case 'rewindFiles':
      return { userMessageId: args[0] }
    default:
      return {}
  }
}
