/**
 * Spawn options -> argv and environment. Pure: it reads no file and no process environment.
 *
 * Every value is joined to its flag (`--model=VALUE`), so that a value starting with `-` stays a value; a list is one
 * flag per entry, because a flag that takes several words would eat what follows it.
 *
 * The sandbox levels, by what the CLI can keep (it enforces none of them through the operating system):
 *   read-only        the editing tools do not exist, and no allow rule spares a writing tool the question
 *   workspace-write  as the mode says; `default` asks before every write
 *   full-access      the whole machine counts as workspace, and the mode may be `bypassPermissions`
 */
import { isAbsolute, resolve } from 'node:path'
import {
  type AcceptedValues,
  type AdapterContext,
  CodedError,
  Sandbox,
  type SpawnOptions,
} from '@roundhouse/backend-types'
import { type ProviderConfig, providerFlags, settingSourcesOf } from './provider-config'

export interface LaunchInput {
  options: SpawnOptions
  /** The owner's environment, already cut to the allow-list. */
  env: Record<string, string>
  workDir: string
  /** The conversation: a new one under this id, or the one to go on with. */
  session: { kind: 'new'; id: string } | { kind: 'resume'; id: string }
  trustProjectConfig: boolean
  /** A file with `SpawnOptions.mcpServers`. Their environment may hold a secret, so they are on no command line. */
  ownServers?: string | undefined
  deny?: AdapterContext['deny']
  config?: ProviderConfig
}

/**
 * What holds above the owner's own settings. Measured on 2.1.330.
 *
 * Plan mode would otherwise let the program's own classifier decide, where its service offers one, and ask nobody: either key
 * makes it ask, both survive `apply_flag_settings`, and the mode `auto` is then refused.
 */
const overridingSettings = {
  disableAutoMode: 'disable',
  useAutoModeDuringPlan: false,
}

export interface Launch {
  args: string[]
  env: Record<string, string>
}

const editingTools = ['Edit', 'MultiEdit', 'Write', 'NotebookEdit']
const writingTools = [...editingTools, 'Bash', 'PowerShell']
/** `auto` is left out: a classifier would decide in the place of a person. */
const modes = ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions']
export const effortLevels = ['low', 'medium', 'high', 'xhigh', 'max']
/** The modes that some sandboxes exclude. */
const modeSandboxes: Readonly<Record<string, Sandbox[]>> = {
  acceptEdits: ['workspace-write', 'full-access'],
  bypassPermissions: ['full-access'],
}

/** A full model id is accepted as well as an alias. */
export const accepted: AcceptedValues = {
  modes: modes.map((code) => ({ code, ...(modeSandboxes[code] ? { sandboxes: modeSandboxes[code] } : {}) })),
  sandboxes: Sandbox.options,
  thinking: effortLevels,
}

/** Below the owner's own values: what a program under supervision should do, and should not do by itself. */
const quiet = {
  DISABLE_AUTOUPDATER: '1',
  DISABLE_TELEMETRY: '1',
  DISABLE_ERROR_REPORTING: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  // It keeps what its own tools change, as in a terminal: `rewindFiles` puts it back.
  CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: '1',
}
/** Left by an outer Claude Code; with them the CLI takes itself for a nested one. */
const inherited = ['CLAUDECODE', 'CLAUDE_CODE_ENTRYPOINT', 'CLAUDE_CODE_SSE_PORT', 'CLAUDE_CODE_SESSION_ID']

export function planLaunch(input: LaunchInput): Launch {
  return { args: argsOf(input), env: envOf(input) }
}

function argsOf({
  options,
  workDir,
  session,
  trustProjectConfig,
  ownServers,
  deny,
  config = {},
}: LaunchInput): string[] {
  const sandbox = options.sandbox ?? 'workspace-write'
  const mode = requireMode(modeOf(options), sandbox)
  const dirs = (options.additionalDirs ?? []).map((dir) => resolve(workDir, dir))
  const args = [
    '-p',
    '--input-format=stream-json',
    '--output-format=stream-json',
    '--verbose',
    ...providerFlags(config),
    '--permission-prompt-tool=stdio',
    `--permission-mode=${mode}`,
    `--settings=${JSON.stringify({ ...overridingSettings, ...(config.sandbox ? { sandbox: config.sandbox } : {}) })}`,
    session.kind === 'new' ? `--session-id=${session.id}` : `--resume=${session.id}`,
  ]
  // Project settings hold hooks, MCP servers and allow rules: they would run code before anybody was asked.
  if (!trustProjectConfig || config.settingSources)
    args.push(`--setting-sources=${settingSourcesOf(config, trustProjectConfig).join(',')}`)
  if (options.model !== undefined) args.push(`--model=${options.model}`)
  if (options.thinking !== undefined) args.push(`--effort=${requireEffort(options.thinking)}`)
  for (const dir of sandbox === 'full-access' ? [...dirs, '/'] : dirs) args.push(`--add-dir=${dir}`)
  for (const rule of allowedOf(options, sandbox)) args.push(`--allowedTools=${rule}`)
  for (const rule of [...disallowedOf(options, sandbox), ...deniedOf(deny)]) args.push(`--disallowedTools=${rule}`)
  // Always a path: the flag would take text that starts with `{` as the configuration itself.
  if (options.mcpConfigPath !== undefined) args.push(`--mcp-config=${resolve(workDir, options.mcpConfigPath)}`)
  // Last: of two servers of one name the CLI takes the later one.
  if (ownServers !== undefined) args.push(`--mcp-config=${ownServers}`)
  return args
}

/** The mode in which the CLI is started. */
export function modeOf({ mode = 'default' }: SpawnOptions): string {
  return mode
}

function envOf({ options, env }: LaunchInput): Record<string, string> {
  const merged: Record<string, string> = {
    ...quiet,
    ...env,
    ...options.env,
    ROUNDHOUSE_SESSION: options.sessionId,
  }
  for (const name of inherited) delete merged[name]
  // Otherwise an unasked `cd` would make the next command run elsewhere than its question says.
  merged.CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR = '1'
  if (options.maxThinkingTokens != null) merged.MAX_THINKING_TOKENS = String(options.maxThinkingTokens)
  if (options.maxOutputTokens !== undefined) merged.CLAUDE_CODE_MAX_OUTPUT_TOKENS = String(options.maxOutputTokens)
  return merged
}

/** The CLI of 2.1.197 accepts any word as a mode, so it is checked here. */
export function requireMode(mode: string, sandbox: Sandbox): string {
  const details = { field: 'mode', mode, sandbox }
  if (!modes.includes(mode)) throw new CodedError('UNSUPPORTED', `Claude Code has no mode "${mode}".`, details)
  if (modeSandboxes[mode]?.includes(sandbox) === false) {
    const message = `Claude Code does not run the mode "${mode}" in the sandbox "${sandbox}".`
    throw new CodedError('UNSUPPORTED', message, details)
  }
  return mode
}

export function requireEffort(thinking: string): string {
  if (effortLevels.includes(thinking)) return thinking
  throw new CodedError('UNSUPPORTED', `Claude Code has no thinking level "${thinking}".`, {
    field: 'thinking',
  })
}

function allowedOf(options: SpawnOptions, sandbox: Sandbox): string[] {
  const rules = (options.allowedTools ?? []).filter((rule) => rule.trim() !== '')
  return sandbox === 'read-only' ? rules.filter((rule) => !mayWrite(rule)) : rules
}

/** One entry may hold several rules (`Bash(git *),Edit`); any writing tool in it disqualifies it whole. */
function mayWrite(rule: string): boolean {
  return rule.split(/[\s,]+/).some((word) => writingTools.includes(word.split('(')[0] ?? ''))
}

function disallowedOf(options: SpawnOptions, sandbox: Sandbox): string[] {
  const rules = (options.disallowedTools ?? []).filter((rule) => rule.trim() !== '')
  return sandbox === 'read-only' ? [...rules, ...editingTools.filter((tool) => !rules.includes(tool))] : rules
}

/** The program's own spelling: a second slash stands for the root of the disk; rules on Edit hold for every writing tool. */
function deniedOf(deny: LaunchInput['deny']): string[] {
  const paths = (deny?.paths ?? []).flatMap((path) =>
    ['Read', 'Edit'].flatMap((tool) => [`${tool}(/${path})`, `${tool}(/${path}/**)`]),
  )
  return [...(deny?.tools ?? []), ...paths]
}

/** The workspace of a spawn: always absolute, because every relative path of the options is read from it. */
export function requireWorkDir(options: SpawnOptions, fallback: string): string {
  const dir = options.workDir ?? fallback
  if (!isAbsolute(dir)) throw new CodedError('INVALID_ARGUMENT', 'workDir: must be an absolute path', { workDir: dir })
  return dir
}
