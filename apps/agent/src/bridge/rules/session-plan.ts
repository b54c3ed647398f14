/**
 * The options of `session.create` -> what a session is made with. Pure. What the contract has a field for goes there; the rest
 * is `providerConfig`, in the words of Claude's SDK, which only an adapter that speaks them takes. An option without effect is
 * refused, never dropped.
 */
import path from 'node:path'
import { CodedError, firstFault, Sandbox, type SessionSettings, type SpawnOptions } from '@roundhouse/backend-types'
import { BridgeOptions } from '@roundhouse/backend-types/bridge'

export interface SessionPlan {
  /** What the machine's policy judges. */
  settings: SessionSettings
  providerConfig: NonNullable<SpawnOptions['providerConfig']>
  mcpServers?: Record<string, Record<string, unknown>>
  /** The client wants live text as well. */
  wantsPartial: boolean
}

/** Whether the program speaks Claude's language. What it can do of the contract is judged by its capabilities. */
export interface Able {
  label: string
  isDirect: boolean
}

/** What is `null`, empty or zero is absent: clients send whole objects of defaults. No sources of settings is a choice. */
export function readOptions(given: Record<string, unknown> | null | undefined): BridgeOptions {
  const present = Object.fromEntries(
    Object.entries(given ?? {}).filter(([name, value]) =>
      name === 'setting_sources' ? Boolean(value) : !isEmpty(value),
    ),
  )
  const read = BridgeOptions.safeParse(present)
  if (read.success) return read.data
  const [issue] = read.error.issues
  if (issue?.code === 'unrecognized_keys') throw unsupported(`There is no option "${issue.keys[0]}".`, issue.keys[0])
  const { text } = firstFault(read.error, 'options', 'options')
  throw new CodedError('INVALID_ARGUMENT', text, { option: issue?.path.join('.') ?? '' })
}

const isEmpty = (value: unknown): boolean => !value || (typeof value === 'object' && Object.keys(value).length === 0)

/** `realCwd`: where the session works; relative folders are read from there. */
export function planSession(options: BridgeOptions, backend: string, realCwd: string, able: Able): SessionPlan {
  requireAble(options, able)
  const { model, permission_mode: mode, allowed_tools, disallowed_tools, mcp_servers: mcpServers } = options
  const { max_thinking_tokens: maxThinkingTokens } = options
  const sandbox = sandboxOf(options, able)
  const settings: SessionSettings = {
    backend,
    workDir: realCwd,
    ...(model === undefined ? {} : { model }),
    ...(mode === undefined ? {} : { mode }),
    ...(sandbox === undefined ? {} : { sandbox }),
    ...(maxThinkingTokens === undefined ? {} : { maxThinkingTokens }),
    ...appendedPrompt(options, able),
    ...(allowed_tools ? { allowedTools: allowed_tools } : {}),
    ...(disallowed_tools ? { disallowedTools: disallowed_tools } : {}),
    ...(options.additional_directories
      ? { additionalDirs: options.additional_directories.map((dir) => path.resolve(realCwd, dir)) }
      : {}),
  }
  return {
    settings,
    providerConfig: able.isDirect ? directConfig(options) : {},
    ...(mcpServers ? { mcpServers } : {}),
    wantsPartial: options.include_partial_messages === true,
  }
}

/** Claude Code's mode that never asks needs the highest of our levels, where the client named none. */
function sandboxOf({ sandbox, permission_mode }: BridgeOptions, { isDirect }: Able): Sandbox | undefined {
  const level = Sandbox.safeParse(sandbox)
  if (level.success) return level.data
  return isDirect && permission_mode === 'bypassPermissions' ? 'full-access' : undefined
}

/** A text takes the place of the program's own prompt only where the program lets it; elsewhere it is added. */
function appendedPrompt({ system_prompt: prompt }: BridgeOptions, { isDirect }: Able): { systemPrompt?: string } {
  if (typeof prompt === 'string') return isDirect ? {} : { systemPrompt: prompt }
  return prompt?.append ? { systemPrompt: prompt.append } : {}
}

/** Frames are as the SDK has them: nothing of sub-agents, and no partial messages unless asked for. */
function directConfig(options: BridgeOptions): SessionPlan['providerConfig'] {
  const { system_prompt: prompt, sandbox } = options
  const config = {
    includePartialMessages: options.include_partial_messages === true,
    forwardSubagentText: false,
    settingSources: options.setting_sources ?? ['user'],
    systemPrompt: typeof prompt === 'string' ? prompt : undefined,
    maxTurns: options.max_turns,
    maxBudgetUsd: options.max_budget_usd,
    enableFileCheckpointing: options.enable_file_checkpointing,
    betas: options.betas,
    fallbackModel: options.fallback_model,
    agents: options.agents,
    hooks: options.hooks,
    sandbox: typeof sandbox === 'object' ? sandbox : undefined,
    outputSchema: options.output_format?.schema,
  }
  return Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined))
}

const ofDirect = [
  'max_turns',
  'max_budget_usd',
  'enable_file_checkpointing',
  'agents',
  'hooks',
  'setting_sources',
  'betas',
  'output_format',
  'fallback_model',
] as const satisfies ReadonlyArray<keyof BridgeOptions>

function requireAble(options: BridgeOptions, { label, isDirect }: Able): void {
  if (isDirect) return
  const named = ofDirect.find((option) => options[option] !== undefined)
  const lacking = named ?? (typeof options.sandbox === 'object' ? 'sandbox' : undefined)
  if (lacking) throw unsupported(`${label} has no option ${lacking}.`, lacking)
}

const unsupported = (message: string, option: string | undefined): CodedError =>
  new CodedError('UNSUPPORTED', message, { option })
