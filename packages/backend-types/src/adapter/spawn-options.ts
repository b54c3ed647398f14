/** How a backend is started. */
import { z } from 'zod'
import { McpServer } from './mcp-server'
import { ThinkingTokens } from './queries'
import { Sandbox } from './sandbox'

/** How to start a backend. Every field has an effect in every adapter, or a stated, tested reason why not. */
export const SpawnOptions = z.object({
  sessionId: z.string(),
  workDir: z.string().optional(),
  /** The `backendSessionId` to continue. An id that the backend no longer knows is `RESUME_UNAVAILABLE`. */
  resumeId: z.string().optional(),
  /** What `mintSessionId` gave: the id of this new conversation. Only for a first spawn, never with `resumeId` (RES-8). */
  newSessionId: z.string().optional(),
  systemPrompt: z.string().optional(),
  /** Load the role's notes (see `roleId`). */
  useBrainCore: z.boolean().optional(),
  mcpConfigPath: z.string().optional(),
  /**
   * Beside those of `mcpConfigPath`, by their names. Only the session host sets it, for its own server (`OWN_SERVER`): then no
   * other server of the session may have a reserved name, and what a repository configures does not decide about it.
   */
  mcpServers: z.record(z.string(), McpServer).optional(),
  roleId: z.string().optional(),
  /** The query by which the role's notes are ranked. */
  initialUserInput: z.string().optional(),
  additionalDirs: z.array(z.string()).optional(),
  allowedTools: z.array(z.string()).optional(),
  disallowedTools: z.array(z.string()).optional(),
  /** Tokens of one answer. Drives the backend's own limit and the ladder 32k, 16k, 8k. */
  maxOutputTokens: z.number().int().positive().optional(),
  backend: z.string().optional(),
  /** Undefined means `workspace-write` with asking. Bypass is never a default. */
  sandbox: Sandbox.optional(),
  /** Merged over the owner's allow-listed environment. */
  env: z.record(z.string(), z.string()).optional(),
  model: z.string().optional(),
  mode: z.string().optional(),
  thinking: z.string().optional(),
  maxThinkingTokens: ThinkingTokens.optional(),
  /** Resolved into `model` and `mode` before an adapter sees the options (see `resolveSpawnOptions`). */
  turnOverride: z.object({ model: z.string().optional(), mode: z.string().optional() }).optional(),
  /**
   * What one program knows and this contract has no field for, in that program's own words. Only a caller on this machine sets
   * it, for itself: no setting of a session reaches it, so no hub can. A name that the adapter does not know is `UNSUPPORTED`.
   */
  providerConfig: z.record(z.string(), z.unknown()).optional(),
})
export type SpawnOptions = z.infer<typeof SpawnOptions>

/** `turnOverride` beats the sticky `model` and `mode` field by field, for this turn only. */
export function resolveSpawnOptions(options: SpawnOptions): SpawnOptions {
  const { turnOverride, ...sticky } = options
  return {
    ...sticky,
    ...(turnOverride?.model !== undefined ? { model: turnOverride.model } : {}),
    ...(turnOverride?.mode !== undefined ? { mode: turnOverride.mode } : {}),
  }
}
