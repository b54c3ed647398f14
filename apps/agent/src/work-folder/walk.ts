/**
 * Lists the files of a folder that a person may name in a prompt: the nearest first, without ignored or denied files and
 * links that lead outside, up to a limit. A folder that does not answer blocks the walk, so this runs in a process that can
 * be ended.
 */
import { type Dir, type Dirent, existsSync, lstatSync, opendirSync, realpathSync, statSync } from 'node:fs'
import path from 'node:path'
import { isOfferedName, LONGEST_PATH } from '@roundhouse/backend-types'
import { isInside } from '../files/is-inside'
import { type IgnoreRules, isIgnored, readRules } from './ignore-rules'

export interface WalkLimits {
  files: number
  /** Names of any kind, also those that are left out. */
  entries: number
  ms: number
}

export interface Walked {
  /** Relative, with `/`. */
  files: string[]
  /** Nothing was left out for lack of time or space. */
  complete: boolean
}

interface Folder {
  at: readonly string[]
  levels: readonly IgnoreRules[]
}

interface Top {
  names: readonly string[]
  levels: readonly IgnoreRules[]
}

/** If the folder is inside a repository, the files above it count too. */
const MOST_ABOVE = 32

/** `begin`: the folder below in which to start. Nothing where it is left out itself. */
export function walk(
  folder: string,
  denied: readonly string[],
  limits: WalkLimits,
  begin: readonly string[] = [],
): Walked {
  const until = performance.now() + limits.ms
  const top = aboveOf(folder)
  const files: string[] = []
  const first = descend(folder, denied, top, begin)
  const folders: Folder[] = first ? [first] : []
  let entries = 0
  for (let next = folders.shift(); next; next = folders.shift()) {
    const real = path.join(folder, ...next.at)
    const levels = [...next.levels, readRules(path.join(real, '.gitignore'), top.names.length + next.at.length)]
    const above = next.at.length === 0 ? '' : `${next.at.join('/')}/`
    const named = [...top.names, ...next.at]
    for (const entry of entriesOf(real)) {
      entries++
      const isLate = entries % 64 === 0 && performance.now() > until
      if (isLate || entries > limits.entries || files.length >= limits.files) return { files, complete: false }
      const { name } = entry
      const place = `${real}/${name}`
      if (name === '.git' || !isOfferedName(name) || denied.some((one) => isInside(place, one))) continue
      const kind = kindOf(entry, place, folder, denied)
      if (kind === null || isIgnored(levels, [...named, name], kind === 'folder')) continue
      if (kind === 'folder') folders.push({ at: [...next.at, name], levels })
      else if (above.length + name.length <= LONGEST_PATH) files.push(above + name)
    }
  }
  return { files, complete: true }
}

/** Goes down by name, through nothing that a walk would leave out. */
function descend(folder: string, denied: readonly string[], top: Top, begin: readonly string[]): Folder | null {
  let { levels } = top
  for (const [depth, name] of begin.entries()) {
    const place = path.join(folder, ...begin.slice(0, depth + 1))
    const above = path.dirname(place)
    if (name === '' || name === '.' || name === '..' || name === '.git' || denied.some((one) => isInside(place, one)))
      return null
    if (!lstatSync(place, { throwIfNoEntry: false })?.isDirectory()) return null
    levels = [...levels, readRules(path.join(above, '.gitignore'), top.names.length + depth)]
    if (isIgnored(levels, [...top.names, ...begin.slice(0, depth + 1)], true)) return null
  }
  return { at: begin, levels }
}

/** A link counts where it leads to a file of this folder; links to folders are not followed. */
function kindOf(entry: Dirent, place: string, folder: string, denied: readonly string[]): 'file' | 'folder' | null {
  if (entry.isFile()) return 'file'
  if (entry.isDirectory()) return 'folder'
  if (!entry.isSymbolicLink()) return null
  try {
    const real = realpathSync.native(place)
    const isOurs = isInside(real, folder) && !denied.some((one) => isInside(real, one))
    return isOurs && statSync(real).isFile() ? 'file' : null
  } catch {
    return null
  }
}

/** One by one: a folder may hold a million. What cannot be read holds nothing. */
function* entriesOf(folder: string): Generator<Dirent> {
  let dir: Dir
  try {
    dir = opendirSync(folder, { bufferSize: 256 })
  } catch {
    return
  }
  try {
    for (let entry = dir.readSync(); entry; entry = dir.readSync()) yield entry
  } catch {
    // It was removed in the meantime.
  } finally {
    dir.closeSync()
  }
}

/** The names from the top of the repository down to the folder, and the rules above it. */
function aboveOf(folder: string): Top {
  const names: string[] = []
  for (let at = folder; names.length <= MOST_ABOVE; at = path.dirname(at)) {
    if (existsSync(path.join(at, '.git'))) {
      const info = readRules(path.join(at, '.git', 'info', 'exclude'), 0)
      const files = names.map((_, depth) => readRules(path.join(at, ...names.slice(0, depth), '.gitignore'), depth))
      return { names, levels: [info, ...files] }
    }
    if (path.dirname(at) === at) break
    names.unshift(path.basename(at))
  }
  return { names: [], levels: [] }
}
