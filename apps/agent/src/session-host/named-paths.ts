/** The names of files in a tool's input, and where each of them really leads. */
import { readlinkSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { isName, wordsOf } from './command-words'

/** A chain of links that is longer leads in a circle. */
const MOST_LINKS = 40

/**
 * Where an absolute path really leads, step by step as the kernel goes: links are followed, and `..` is what lies above
 * where they led. What does not exist yet keeps its name; a link to nothing leads to where writing would make the file.
 */
export function realPathOf(asked: string): string {
  const { root } = path.parse(asked)
  const ahead = stepsOf(asked).reverse()
  let links = MOST_LINKS
  let real = root
  let missing = false
  for (let step = ahead.pop(); step !== undefined; step = ahead.pop()) {
    if (step === '..') {
      real = path.dirname(real)
      missing = false
      continue
    }
    const next = path.join(real, step)
    const target: Link = missing || links === 0 ? { missing } : linkAt(next)
    missing = target.missing === true
    if (target.link === undefined) {
      real = next
      continue
    }
    links -= 1
    ahead.push(...stepsOf(target.link).reverse())
    if (path.isAbsolute(target.link)) real = root
  }
  return real
}

const stepsOf = (asked: string) => asked.split(path.sep).filter((step) => step !== '' && step !== '.')

interface Link {
  link?: string
  missing?: boolean
}

function linkAt(file: string): Link {
  try {
    return { link: readlinkSync(file) }
  } catch (error) {
    return { missing: (error as NodeJS.ErrnoException).code === 'ENOENT' }
  }
}

/** What a name in a tool's input may mean: programs put `a/../b` together before they look, shells while they do. */
export function realPathsOf(name: string, cwd: string): string[] {
  const asWritten = path.isAbsolute(name) ? name : `${cwd}${path.sep}${name}`
  return [...new Set([realPathOf(path.resolve(cwd, name)), realPathOf(asWritten)])]
}

/** Of a name that leads through a link: where to. */
export interface Place {
  name: string
  real: string[]
}

/** What leads elsewhere at another time has other places. */
export function linkedPlaces(input: unknown, cwd: string): Place[] {
  return [...new Set(namesIn(input))]
    .map((name) => ({ name, real: realPathsOf(name, cwd) }))
    .filter(({ name, real }) => real.some((one) => one !== path.resolve(cwd, name)))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Fields of a tool's input whose text is a path: `file_path`, `notebook_path`, `cwd`, `grantRoot`, ... */
const PATH_FIELD = /path|file|folder|dir|cwd|root/i
const DEEPEST = 6

/** Everything in a tool's input that may be the name of a file: the words of commands, and fields that hold paths. */
export function namesIn(input: unknown): string[] {
  return [...wordsOf(withHome(input)), ...pathFields(input, false, 0)]
}

function pathFields(value: unknown, isPath: boolean, depth: number): string[] {
  if (depth > DEEPEST) return []
  if (typeof value === 'string') return isPath && isName(value) ? [value] : []
  if (Array.isArray(value)) return value.flatMap((one) => pathFields(one, isPath, depth + 1))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => [
    // Some tools name the files they change as the keys of a map.
    ...(path.isAbsolute(key) && isName(key) ? [key] : []),
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
