/**
 * What to start and what to ask of it: arguments, environment and the parameters of `thread/start`, from the spawn
 * options. Pure. Each field of `SpawnOptions` is used here, refused here, or named below with the reason why not.
 *
 * - `maxOutputTokens`: Codex 0.169 has no such setting; it only serves the token budget warning.
 * - `roleId`, `useBrainCore`, `initialUserInput`: the host has put the notes into `systemPrompt` before.
 * - `sessionId`, `backend`: they chose this session and this adapter.
 */

import { dirname } from 'node:path'
import { compact, type Json } from '@roundhouse/adapter-kit/read'
import { CodedError, type Sandbox, type SpawnOptions } from '@roundhouse/backend-types'
import { PROGRAM_MARK } from './leftovers'
import { withProjectNotes } from './project-notes'
import { approvalPolicyOf, effortOf, sandboxModeOf } from './settings'

export interface Launch {
  args: string[]
  env: Record<string, string>
  /** For `thread/start`, and with a `threadId` for `thread/resume`. */
  thread: Json
}

export interface LaunchPlace {
  env: Record<string, string>
  workDir: string
  /** `workDir` with its symbolic links resolved. */
  realWorkDir: string
  tmpDir: string
  mcpServers: Json | undefined
  trustProjectConfig: boolean
  /** Instructions of the repository, where Codex does not read them itself. */
  notes?: string | undefined
}

/** These decide whose configuration and login Codex uses, and where it writes. Only the machine's owner sets them. */
const ownersVariables = /^(CODEX_.*|HOME|USERPROFILE|TMPDIR|TMP|TEMP|XDG_.*)$/

export function refuseUnsupported(options: SpawnOptions): void {
  for (const field of ['allowedTools', 'disallowedTools'] as const) {
    if (options[field]?.length)
      throw new CodedError('UNSUPPORTED', `Codex takes no list of tools (${field}).`, { field })
  }
  if (options.newSessionId !== undefined) {
    throw new CodedError('UNSUPPORTED', 'Codex chooses the id of a conversation itself.', { field: 'newSessionId' })
  }
  const owners = Object.keys(options.env ?? {}).find((name) => ownersVariables.test(name))
  if (owners) {
    throw new CodedError('POLICY_DENIED', `${owners} is set by the owner of the machine alone.`, { field: 'env' })
  }
}

export function planLaunch(options: SpawnOptions, place: LaunchPlace): Launch {
  refuseUnsupported(options)
  return {
    args: ['app-server', ...(place.trustProjectConfig ? [] : distrustArgs([place.workDir, place.realWorkDir]))],
    env: { ...place.env, ...options.env, TMPDIR: place.tmpDir, [PROGRAM_MARK]: place.tmpDir },
    thread: threadParams(options, place),
  }
}

function threadParams(options: SpawnOptions, place: LaunchPlace): Json {
  const sandbox: Sandbox = options.sandbox ?? 'workspace-write'
  return compact({
    cwd: place.workDir,
    approvalPolicy: approvalPolicyOf(options.mode),
    // Without this a configuration could hand the questions to a reviewing model instead of to a person.
    approvalsReviewer: 'user',
    sandbox: sandboxModeOf(sandbox),
    model: options.model,
    developerInstructions: withProjectNotes(options.systemPrompt, place.notes),
    config: compact({
      // A workspace below /tmp would otherwise be open to every other session there. TMPDIR is private and stays writable.
      'sandbox_workspace_write.exclude_slash_tmp': true,
      'sandbox_workspace_write.writable_roots': options.additionalDirs?.length ? options.additionalDirs : undefined,
      model_reasoning_effort: effortOf(options.thinking),
      mcp_servers: place.mcpServers,
    }),
  })
}

/**
 * Marks the work folder and every folder above it as not trusted, for this process alone. Left to itself, Codex marks
 * the folder of a writable thread as trusted, in the owner's configuration and for good, and starts the MCP servers of
 * the repository's own `.codex/config.toml` before anybody was asked (seen with 0.169).
 */
export function distrustArgs(dirs: string[]): string[] {
  const folders = new Set<string>()
  for (const dir of dirs) {
    for (let at = dir; !folders.has(at); at = dirname(at)) folders.add(at)
  }
  // A JSON string is a TOML basic string, but for DEL, which TOML wants escaped.
  const quoted = (text: string) => JSON.stringify(text).replaceAll('\u007f', '\\u007F')
  const entries = [...folders].map((dir) => `${quoted(dir)}={trust_level="untrusted"}`)
  return ['-c', `projects={${entries.join(',')}}`]
}
