/**
 * Commands that the owner of the machine lets Claude Code run unasked: the allow rules of their settings, and those that the
 * session was started with. Measured on 2.1.330: a rule that asks about every command comes before them.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { asRecord } from './frames'

const MOST_RULES = 1_000

export interface RulesInput {
  env: Record<string, string | undefined>
  workDir: string
  trustProjectConfig: boolean
  allowedTools: readonly string[]
}

/** As they stand between the brackets of `Bash(…)`; `*` for `Bash` alone. */
export async function ownCommandRules(input: RulesInput): Promise<string[]> {
  const told = await Promise.all(settingsFiles(input).map(allowedIn))
  return [...input.allowedTools, ...told.flat()].slice(0, MOST_RULES).flatMap(commandRule)
}

function settingsFiles({ env, workDir, trustProjectConfig }: RulesInput): string[] {
  const home = env.CLAUDE_CONFIG_DIR ?? (env.HOME === undefined ? undefined : join(env.HOME, '.claude'))
  const project = ['settings.json', 'settings.local.json'].map((name) => join(workDir, '.claude', name))
  return [...(home === undefined ? [] : [join(home, 'settings.json')]), ...(trustProjectConfig ? project : [])]
}

/** A file that cannot be read allows nothing. */
async function allowedIn(file: string): Promise<string[]> {
  try {
    const allow = asRecord(asRecord(JSON.parse(await readFile(file, 'utf8')))?.permissions)?.allow
    return Array.isArray(allow) ? allow.filter((rule) => typeof rule === 'string') : []
  } catch {
    return []
  }
}

function commandRule(rule: string): string[] {
  const text = rule.trim()
  if (text === 'Bash') return ['*']
  const inner = /^Bash\((.*)\)$/s.exec(text)?.[1]?.trim()
  return inner ? [inner] : []
}
