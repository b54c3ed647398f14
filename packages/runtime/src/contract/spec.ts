/** What a session is started with. Field names are those of the document. */
import { Sandbox } from '@roundhouse/backend-types'
import { z } from 'zod'
import { mapOf, omitEmpty } from './omit-empty'
import { PermissionConfig } from './permission-config'
import { ProviderName } from './provider-name'

export const SandboxLevel = Sandbox
export type SandboxLevel = z.infer<typeof SandboxLevel>

export const EffortLevel = z.enum(['low', 'medium', 'high', 'xhigh'])
export type EffortLevel = z.infer<typeof EffortLevel>

/** An MCP server by its command, or by its address if `type` is `http`. */
export const MCPServerConfig = z.object({
  name: z.string(),
  type: omitEmpty(z.enum(['stdio', 'http', ''])),
  command: omitEmpty(z.string()),
  args: omitEmpty(z.array(z.string())),
  env: omitEmpty(z.record(z.string(), z.string())),
  url: omitEmpty(z.string()),
  headers: omitEmpty(z.record(z.string(), z.string())),
})
export type MCPServerConfig = z.infer<typeof MCPServerConfig>

/** No backend here has it: a session that asks for it is refused. */
export const CodeIntelEnforcement = z.object({ enforceUsage: z.boolean(), fallbackAfterAttempt: z.boolean() })
export type CodeIntelEnforcement = z.infer<typeof CodeIntelEnforcement>

const SpecFields = z.object({
  prompt: z.string(),
  cwd: z.string(),
  /** Merged over the environment that the program inherits. */
  env: mapOf(z.string()),
  /** No person is there: whatever needs one is denied. */
  autonomous: z.boolean(),
  sandboxEnabled: z.boolean(),
  /** Counts only with `sandboxEnabled`. */
  sandboxLevel: omitEmpty(z.union([SandboxLevel, z.literal('')])),
  allowedTools: omitEmpty(z.array(z.string())),
  disallowedTools: omitEmpty(z.array(z.string())),
  /** Also those with `type: "http"`. */
  mcpStdioServers: omitEmpty(z.array(MCPServerConfig)),
  /** Added to `allowedTools`. */
  mcpToolNames: omitEmpty(z.array(z.string())),
  maxTurns: z.number().int().optional(),
  model: omitEmpty(z.string()),
  effort: omitEmpty(z.union([EffortLevel, z.literal('')])),
  baseInstructions: omitEmpty(z.string()),
  systemPromptAppend: omitEmpty(z.string()),
  permissionConfig: PermissionConfig.optional(),
  codeIntelligenceEnforcement: CodeIntelEnforcement.optional(),
  providerConfig: omitEmpty(z.record(z.string(), z.unknown())),
  subAgentProvider: omitEmpty(ProviderName),
})

/** `onProcessSpawned` is no part of the JSON. */
export const Spec = SpecFields
export type Spec = z.infer<typeof SpecFields> & {
  /** Called once, when the program runs. */
  onProcessSpawned?: (pid: number) => void
}
