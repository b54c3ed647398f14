/** The options of `session.create`: the nineteen of the published Node backend, and `backend`, which is ours. */
import { z } from 'zod'
import { Sandbox } from '../adapter/sandbox'

const words = z.array(z.string())
const record = z.record(z.string(), z.unknown())

/** `hooks`: which calls the client wants to hear of. Its answers come by `callback.response`. */
export const BridgeHookMatcher = z.object({ matcher: z.string().nullish() })

export const BridgeOptions = z
  .strictObject({
    model: z.string(),
    permission_mode: z.string(),
    allowed_tools: words,
    disallowed_tools: words,
    /** A text replaces the program's own; a preset keeps it, and `append` comes behind it. */
    system_prompt: z.union([
      z.string(),
      z.object({ type: z.literal('preset'), preset: z.literal('claude_code'), append: z.string().nullish() }),
    ]),
    max_turns: z.number().int().positive(),
    max_budget_usd: z.number().positive(),
    max_thinking_tokens: z.number().int().positive(),
    include_partial_messages: z.boolean(),
    enable_file_checkpointing: z.boolean(),
    additional_directories: words,
    mcp_servers: z.record(z.string().min(1), record),
    agents: z.record(z.string().min(1), record),
    hooks: z.record(z.string().min(1), z.array(BridgeHookMatcher)),
    /** Claude Code's own settings of its sandbox; or one of our levels, for every program. */
    sandbox: z.union([Sandbox, record]),
    setting_sources: z.array(z.enum(['user', 'project', 'local'])),
    betas: words,
    output_format: z.object({ type: z.literal('json_schema'), schema: record }),
    fallback_model: z.string(),
    backend: z.string(),
  })
  .partial()
export type BridgeOptions = z.infer<typeof BridgeOptions>
