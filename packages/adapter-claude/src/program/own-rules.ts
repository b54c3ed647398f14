/**
 * What the owner of the machine says of commands: the rules of their Claude Code settings, and those that the session was started
 * with. A hook that asks comes before the rules that allow and ask, so the host must know them (PERM-11); rules that deny come
 * before the hook. Measured on 2.1.330.
 */
import { join } from 'node:path'
import { readOrdinary } from '@roundhouse/adapter-kit'
import type { PermissionRequest, Sandbox } from '@roundhouse/backend-types'
import { isShell } from '../wire/command-hook'
import { asRecord, recordsAt, textAt } from '../wire/frames'
import { configFolder } from './config-folder'

const MOST_RULES = 1_000
const MOST_BYTES = 16 * 1024 * 1024

export interface RulesInput {
  env: Record<string, string | undefined>
  workDir: string
  /** Whose settings the program loads: `user`, `project`, `local`. */
  sources: readonly string[]
  allowedTools: readonly string[]
  sandbox: Sandbox
}

/** As they stand between the brackets of `Bash(…)`; `*` for `Bash` alone. */
export interface CommandRules {
  /** None where the session may only read. */
  allow: readonly string[]
  ask: readonly string[]
}

export async function ownCommandRules(input: RulesInput): Promise<CommandRules> {
  const settings = await Promise.all(settingsFiles(input).map(permissionsIn))
  const told = (key: 'allow' | 'ask') => settings.flatMap((permissions) => listed(permissions[key]))
  const allow = input.sandbox === 'read-only' ? [] : [...input.allowedTools, ...told('allow')]
  return { allow: rulesOf(allow), ask: rulesOf(told('ask')) }
}

function settingsFiles({ env, workDir, sources }: RulesInput): string[] {
  const home = configFolder(env)
  const places = {
    user: home === undefined ? undefined : join(home, 'settings.json'),
    project: join(workDir, '.claude', 'settings.json'),
    local: join(workDir, '.claude', 'settings.local.json'),
  }
  return Object.entries(places).flatMap(([source, file]) => (file && sources.includes(source) ? [file] : []))
}

/** A file that cannot be read says nothing. */
async function permissionsIn(file: string): Promise<Record<string, unknown>> {
  try {
    return asRecord(asRecord(JSON.parse((await readOrdinary(file, MOST_BYTES)) ?? '{}'))?.permissions) ?? {}
  } catch {
    return {}
  }
}

const listed = (rules: unknown): string[] =>
  Array.isArray(rules) ? rules.filter((rule) => typeof rule === 'string') : []

const rulesOf = (rules: readonly string[]): string[] => rules.slice(0, MOST_RULES).flatMap(commandRule)

function commandRule(rule: string): string[] {
  const text = rule.trim()
  if (text === 'Bash') return ['*']
  const inner = /^Bash\((.*)\)$/s.exec(text)?.[1]?.trim()
  return inner ? [inner] : []
}

/** What a person allowed or wanted to be asked about from now on, in the program's own words. */
export function withUpdates(rules: CommandRules, updates: readonly unknown[]): CommandRules {
  const added = (behavior: string) =>
    updates
      .map(asRecord)
      .filter((update) => update?.type === 'addRules' && update.behavior === behavior)
      .flatMap((update) => recordsAt(update, 'rules'))
      .map((rule) => ruleText(textAt(rule, 'toolName') ?? '', textAt(rule, 'ruleContent')))
  return {
    allow: [...rules.allow, ...rulesOf(added('allow'))],
    ask: [...rules.ask, ...rulesOf(added('ask'))],
  }
}

const ruleText = (tool: string, content: string | undefined) => (content ? `${tool}(${content})` : tool)

/** A question about a command, with what the program would run unasked by its own rules (PERM-11). */
export function withOwnRules(
  request: PermissionRequest,
  mode: string | undefined,
  { allow, ask }: CommandRules,
): PermissionRequest {
  if (!isShell(request.toolName)) return request
  const byOwnRules = {
    anything: mode === 'bypassPermissions',
    edits: mode === 'acceptEdits',
    commands: [...allow],
    asks: [...ask],
  }
  return { ...request, meta: { ...request.meta, byOwnRules } }
}
