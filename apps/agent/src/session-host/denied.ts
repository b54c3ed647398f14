/**
 * What the machine's policy refuses by name, whoever asks or allows (`denyTools`, `denyPaths`). Paths are compared where
 * links really lead, also those of a file that does not exist yet.
 */
import { realpathSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type Action, isInside, wordsOf } from './digest'

export interface DenyRules {
  denyTools?: readonly string[] | undefined
  denyPaths?: readonly string[] | undefined
}

/** The rule that forbids this action; null where none does. */
export function deniedBy(action: Action, rules: DenyRules): 'denyTools' | 'denyPaths' | null {
  if (rules.denyTools?.includes(action.tool)) return 'denyTools'
  const denied = (rules.denyPaths ?? []).map(followLinks)
  if (denied.length === 0) return null
  const named = [action.cwd, ...namesIn(action.input)].map((name) => followLinks(path.resolve(action.cwd, name)))
  return named.some((name) => denied.some((place) => isInside(name, place))) ? 'denyPaths' : null
}

/** Fields of a tool's input whose text is a path: `file_path`, `notebook_path`, `cwd`, `grantRoot`, ... */
const PATH_FIELD = /path|file|folder|dir|cwd|root/i
const DEEPEST = 6

/** Everything in a tool's input that may be the name of a file: the words of commands, and fields that hold paths. */
function namesIn(input: unknown): string[] {
  return [...wordsOf(withHome(input)), ...pathFields(input, false, 0)]
}

function pathFields(value: unknown, isPath: boolean, depth: number): string[] {
  if (depth > DEEPEST) return []
  if (typeof value === 'string') return isPath && value !== '' && !value.includes('\0') ? [value] : []
  if (Array.isArray(value)) return value.flatMap((one) => pathFields(one, isPath, depth + 1))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => [
    // Some tools name the files they change as the keys of a map.
    ...(path.isAbsolute(key) ? [key] : []),
    ...pathFields(inner, PATH_FIELD.test(key), depth + 1),
  ])
}

/** As a shell would read it, before it is cut into words. */
function withHome(input: unknown): unknown {
  if (typeof input !== 'object' || input === null || !('command' in input)) return input
  const expand = (text: unknown) =>
    typeof text === 'string' ? text.replace(/\$HOME\b|\$\{HOME\}|(?<![\w/.])~(?=\/|$)/g, os.homedir()) : text
  const { command } = input
  return { command: Array.isArray(command) ? command.map(expand) : expand(command) }
}

/** The real path of the deepest part that exists, and the rest as it is written. */
function followLinks(asked: string): string {
  try {
    return realpathSync(asked)
  } catch {
    const above = path.dirname(asked)
    return above === asked ? asked : path.join(followLinks(above), path.basename(asked))
  }
}
