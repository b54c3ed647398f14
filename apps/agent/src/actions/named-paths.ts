/** The file names in a tool's input, and the real target of each. */
import { readlinkSync } from 'node:fs'
import path from 'node:path'
import { foldersOf } from './command-folders'
import { isName, wordsOf } from './command-names'
import { pathsOfFileUrl } from './file-urls'
import { homeOf } from './home-folders'

/** A chain of links that is longer leads in a circle. */
const MOST_LINKS = 40
/** Nobody can open what has a longer name. */
const LONGEST_PATH = 4_096

/**
 * Where an absolute path really leads, step by step as the kernel goes: links are followed, and `..` is what lies above
 * where they led. What does not exist yet keeps its name; a link to nothing leads to where writing would make the file.
 */
export const realPathOf = (asked: string): string => followed(asked, linkAt)

function followed(asked: string, look: Look): string {
  const { root } = path.parse(asked)
  const ahead = stepsOf(asked).reverse()
  let links = MOST_LINKS
  // Steps instead of a text that each step rebuilds: a name may have a million of them.
  let real: string[] = []
  let length = 0
  let missing = false
  for (let step = ahead.pop(); step !== undefined; step = ahead.pop()) {
    if (step === '..') {
      length -= (real.pop()?.length ?? -1) + 1
      missing = false
      continue
    }
    const isUnseen = missing || links === 0 || length + step.length > LONGEST_PATH
    const target: Link = isUnseen ? { missing } : look(root + [...real, step].join(path.sep))
    missing = target.missing === true
    if (target.link === undefined) {
      real.push(step)
      length += step.length + 1
      continue
    }
    links -= 1
    for (const one of stepsOf(target.link).reverse()) ahead.push(one)
    if (path.isAbsolute(target.link)) {
      real = []
      length = 0
    }
  }
  return root + real.join(path.sep)
}

const stepsOf = (asked: string) => asked.split(path.sep).filter((step) => step !== '' && step !== '.')

interface Link {
  link?: string
  missing?: boolean
}
type Look = (file: string) => Link

function linkAt(file: string): Link {
  try {
    return { link: readlinkSync(file) }
  } catch (error) {
    return { missing: (error as NodeJS.ErrnoException).code === 'ENOENT' }
  }
}

/** What a name in a tool's input may mean: programs put `a/../b` together before they look, shells while they do. */
export const realPathsOf = (name: string, cwd: string): string[] => realReadingsOf(name, cwd, linkAt)

function realReadingsOf(name: string, cwd: string, look: Look): string[] {
  const asWritten = path.isAbsolute(name) ? name : `${cwd}${path.sep}${name}`
  const together = path.resolve(cwd, name)
  return [...new Set([...new Set([together, asWritten])].map((one) => followed(one, look)))]
}

/** Names have most of the folders on their ways in common: each is looked at once. */
function lookingOnce(): Look {
  const seen = new Map<string, Link>()
  return (file) => {
    const link = seen.get(file) ?? linkAt(file)
    seen.set(file, link)
    return link
  }
}

/** The target of a name that leads through a link. */
export interface Place {
  name: string
  real: string[]
}

/** What leads elsewhere at another time has other places. */
export function linkedPlaces(input: unknown, cwd: string): Place[] {
  const linked = new Map<string, string[]>()
  for (const { name, asked, real } of placesOf(input, cwd)) {
    if (real.some((one) => one !== asked)) linked.set(name, [...(linked.get(name) ?? []), ...real])
  }
  return [...linked].map(([name, real]) => ({ name, real })).sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Every name in a tool's input, from every folder where it may be read. */
export function placesOf(input: unknown, cwd: string): Array<Place & { asked: string }> {
  const words = [...new Set(wordsOf(input, cwd))]
  return placesFrom([...words, ...pathFields(input)], foldersOf(words, cwd).folders)
}

/** Each of these names from each of the folders, its own first. */
export function placesFrom(names: readonly string[], folders: readonly string[]): Array<Place & { asked: string }> {
  const look = lookingOnce()
  return [...new Set(names)].flatMap((name) =>
    (path.isAbsolute(name) ? folders.slice(0, 1) : folders).map((folder) => ({
      name,
      asked: path.resolve(folder, name),
      real: realReadingsOf(name, folder, look),
    })),
  )
}

/** Members of a tool's input whose text is a path, by words that all programs have in their names. */
const PATH_FIELD = /path|file|folder|dir|cwd|root/i
const DEEPEST = 32

/** The fields of a tool's input that hold paths. */
export function pathFields(value: unknown, isPath = false, depth = 0): string[] {
  if (depth > DEEPEST) return []
  if (typeof value === 'string') return namedBy(value, isPath)
  if (Array.isArray(value)) return value.flatMap((one) => pathFields(one, isPath, depth + 1))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => [
    // Some tools name the files they change as the keys of a map.
    ...namedBy(key, false),
    ...pathFields(inner, PATH_FIELD.test(key), depth + 1),
  ])
}

/** A whole path, or a whole address of a file, is one in any field. As a program would read it, which shortens it before a kernel sees it. */
function namedBy(text: string, isPath: boolean): string[] {
  return [...pathReadings(text).flatMap((one) => nameIn(one, isPath)), ...pathsOfFileUrl(text).filter(isName)]
}

function nameIn(text: string, isPath: boolean): string[] {
  if (!isPath && !path.isAbsolute(text)) return []
  const name = path.normalize(text.replace(/^~([\w.-]*)(?=\/|$)/, (whole, user: string) => homeOf(user) ?? whole))
  return isName(name) ? [isName(text) && !text.startsWith('~') ? text : name] : []
}

/** Some programs take the spaces around a path away, and put its letters and their accents together, before they open it. */
export function pathReadings(text: string): string[] {
  return [...new Set([text, text.trim()].flatMap((one) => [one, one.normalize('NFC'), one.normalize('NFD')]))]
}
