/** The rules of a repository's `.gitignore` files. Pure, except for reading the file. */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { matchesPath, type PathPattern, parsePattern } from './name-pattern'

interface Rule {
  negated: boolean
  foldersOnly: boolean
  pattern: PathPattern
}

/** The rules of one file; its patterns apply to names below `depth` folders. */
export interface IgnoreRules {
  depth: number
  rules: readonly Rule[]
}

const MOST_BYTES = 65_536
const MOST_RULES = 1_000
const LONGEST_PATTERN = 400

/** Later rules win over earlier ones, and deeper files over those above. */
export function isIgnored(levels: readonly IgnoreRules[], path: readonly string[], isFolder: boolean): boolean {
  for (let at = levels.length - 1; at >= 0; at--) {
    const { depth, rules } = levels[at] as IgnoreRules
    if (rules.length === 0) continue
    const below = depth === 0 ? path : path.slice(depth)
    const last = rules.findLast(({ foldersOnly, pattern }) => (isFolder || !foldersOnly) && matchesPath(pattern, below))
    if (last) return !last.negated
  }
  return false
}

export function parseRules(text: string, depth: number): IgnoreRules {
  const rules = text
    .split(/\r?\n/)
    .slice(0, MOST_RULES)
    .flatMap((line) => readRule(line) ?? [])
  return { depth, rules }
}

function readRule(line: string): Rule | null {
  if (line.length > 2 * LONGEST_PATTERN) return null
  const written = line.replace(/(?<!\\)[ \t]+$/, '')
  if (written === '' || written.startsWith('#') || written.length > LONGEST_PATTERN) return null
  const negated = written.startsWith('!')
  const body = negated ? written.slice(1) : written
  const foldersOnly = body.endsWith('/')
  const path = foldersOnly ? body.slice(0, -1) : body
  if (path === '' || path === '/') return null
  const isAnchored = path.includes('/')
  const pattern = parsePattern(isAnchored ? path.replace(/^\//, '') : `**/${path}`)
  return { negated, foldersOnly, pattern }
}

/** Empty where there is none, where it is no ordinary file, or where it cannot be read. */
export function readRules(file: string, depth: number): IgnoreRules {
  let handle: number
  try {
    handle = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch {
    return { depth, rules: [] }
  }
  try {
    if (!fstatSync(handle).isFile()) return { depth, rules: [] }
    const buffer = Buffer.alloc(MOST_BYTES)
    return parseRules(buffer.toString('utf8', 0, readSync(handle, buffer, 0, MOST_BYTES, 0)), depth)
  } catch {
    return { depth, rules: [] }
  } finally {
    closeSync(handle)
  }
}
