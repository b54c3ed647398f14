/**
 * The slash commands of Codex's own terminal that have an equivalent here (CMD-9). Its app-server knows none, and takes every
 * prompt as text: so these are requests to it, or answered from what it said.
 */
import { CodedError, commandName, type SlashCommand } from '@roundhouse/backend-types'

export const commands: readonly SlashCommand[] = [
  { name: 'compact', description: 'Summarize the conversation to free context' },
  { name: 'new', description: 'Start over with an empty conversation', aliases: ['clear'] },
  { name: 'model', description: 'Change the model of this session', argumentHint: '<model>' },
  { name: 'status', description: 'Show model, mode, sandbox and context' },
]

export type CodexCommand = { name: 'compact' | 'new' | 'status' } | { name: 'model'; model: string }

/** Of the text of a prompt; null where it is none. `/model` alone shows what there is. */
export function commandOf(text: string): CodexCommand | null {
  const [, name, rest = ''] = /^\/([a-z]+)(?:\s(.*))?$/s.exec(text.trimEnd()) ?? []
  const [model, ...more] = rest.split(/\s+/).filter((word) => word !== '')
  switch (name) {
    case 'compact':
    case 'status':
      return model === undefined ? { name } : null
    case 'new':
    case 'clear':
      return model === undefined ? { name: 'new' } : null
    case 'model':
      if (model === undefined) return { name: 'status' }
      return more.length === 0 ? { name, model } : null
    default:
      return null
  }
}

/** In its terminal they change what the policy governs. Here they would be text, and a turn for nothing. */
const governed: ReadonlyArray<readonly [what: string, names: string]> = [
  ['permissions', 'approvals permissions sandbox-add-read-dir setup-default-sandbox'],
  ['hooks', 'hooks'],
  ['MCP servers', 'mcp'],
  ['plugins', 'plugins apps'],
  ['settings', 'config experimental settings debug-config memories personality theme statusline title'],
  ['the login', 'login logout'],
  ['what lies outside this session', 'resume fork quit exit feedback'],
]
const refusedNames = new Map(governed.flatMap(([what, names]) => names.split(' ').map((name) => [name, what] as const)))

export function refuseCommand(text: string): CodedError | null {
  const name = commandName(text)
  const what = name === null ? undefined : refusedNames.get(name.toLowerCase())
  if (name === null || what === undefined) return null
  const message = `/${name} changes ${what}. This machine's policy decides that, not a prompt.`
  return new CodedError('POLICY_DENIED', message, { rule: 'slashCommands', command: name })
}

export interface StatusFacts {
  model: string | undefined
  mode: string | undefined
  sandbox: string | undefined
  thinking: string | undefined
  context: { used: number; total: number } | undefined
}

export function statusText({ model, mode, sandbox, thinking, context }: StatusFacts): string {
  const share = context && context.total > 0 ? ` (${Math.round((100 * context.used) / context.total)} %)` : ''
  const rows = [
    ['Model', model],
    ['Mode', mode ?? 'on-request'],
    ['Sandbox', sandbox ?? 'workspace-write'],
    ['Thinking', thinking],
    ['Context', context ? `${context.used} of ${context.total} tokens${share}` : 'not known before the first turn'],
  ]
  return rows.flatMap(([name, value]) => (value === undefined ? [] : [`- ${name}: ${value}`])).join('\n')
}
