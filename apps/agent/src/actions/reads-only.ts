/**
 * Decides whether a command only reads what the session may read, so that nobody needs to be asked (PERM-10). The program
 * runs such commands by itself, and considers more of them harmless than are: a link that leads outside, a pattern that
 * matches one, a repository whose configuration runs programs. Every name is resolved to its real target, and a person
 * decides what is not certain.
 */
import { lstatSync } from 'node:fs'
import path from 'node:path'
import { type ReadingCommand, readingCommandsOf } from '../commands/reading-commands'
import { isInside } from '../files/is-inside'
import { isName, namesWithin } from './command-names'
import { type DenyRules, deniedBy } from './denied'
import { doubtsOf } from './doubts'
import { repositoryOf, runsNothing } from './git-configuration'
import { pathReadings, realPathOf, realPathsOf } from './named-paths'

export interface Surroundings {
  /** Real path of the folder in which the command runs. */
  cwd: string
  /** Real paths of the session's folders. */
  folders: readonly string[]
  /** The machine's. A repository may begin above the session's folder, inside of these. */
  roots: readonly string[]
  rules: DenyRules
}

export function readsOnly(text: string, around: Surroundings): boolean {
  return isHarmless(text, readingCommandsOf(text), around)
}

/** It may also make, move and copy files of the session's folders, as the program's own tools may in that mode. */
export function changesOnly(text: string, around: Surroundings): boolean {
  const commands = readingCommandsOf(text, { changing: true })
  // What is moved may be a link, which leads elsewhere from its new place.
  const moves = commands?.filter(({ moves }) => moves).length ?? 0
  const reads = commands?.some(({ paths, isGit, moves, makes }) => !moves && !makes && (isGit || paths.length > 0))
  return moves <= 1 && !(moves === 1 && reads) && isHarmless(text, commands, around)
}

/** For a call that only reads this file, or what lies in this folder, without following links there (PERM-14). */
export function readsPlace(name: string, { cwd, folders, rules }: Surroundings): boolean {
  if (!isName(name)) return false
  const denied = [...(rules.agentPlaces ?? []), ...(rules.denyPaths ?? [])].map(realPathOf)
  return pathReadings(name)
    .flatMap((one) => realPathsOf(one, cwd))
    .every(
      (real) =>
        isIn(folders, real) &&
        kindOf(real) !== 'other' &&
        !denied.some((place) => isInside(real, place) || isInside(place, real)),
    )
}

/** What these words name lies in the session's folders, as far as it is there; also what `cp a b` writes in a folder `b`. */
export function staysInFolders(words: readonly string[], { cwd, folders }: Surroundings): boolean {
  const staysIn = (name: string) =>
    realPathsOf(name, cwd).every((real) => kindOf(real) === 'missing' || isIn(folders, real))
  const named = words.filter(isName).flatMap(namesWithin)
  if (!named.every(staysIn)) return false
  const entered = [...new Set(named)].filter((name) => realPathsOf(name, cwd).some((real) => kindOf(real) === 'folder'))
  const written = new Set(entered.length === 0 ? [] : named.map((name) => path.basename(name)))
  if (entered.length * written.size > MOST_WRITTEN) return false
  const isWithin = (name: string) => realPathsOf(name, cwd).every((real) => isIn(folders, real))
  return entered.every((folder) => [...written].every((name) => isWithin(path.join(folder, name))))
}

/** Each is looked at on the disk. */
const MOST_WRITTEN = 1_000

function isHarmless(text: string, commands: ReadingCommand[] | null, around: Surroundings): boolean {
  const { cwd, rules } = around
  if (commands === null) return false
  // Whether its tool is denied was judged before.
  const action = { tool: '', input: { command: text }, cwd }
  if (deniedBy(action, rules) !== null || doubtsOf(action, rules).length > 0) return false
  const denied = [...(rules.agentPlaces ?? []), ...(rules.denyPaths ?? [])].map(realPathOf)
  const from = [cwd]
  for (const command of commands) {
    if (!from.every((folder) => isHarmlessIn(folder, command, around, denied))) return false
    if (command.cd !== undefined)
      from.push(...from.map((folder) => realPathOf(path.resolve(folder, command.cd ?? '.'))))
    if (from.length > MOST_FOLDERS) return false
  }
  return true
}

/** Each `cd` doubles them. */
const MOST_FOLDERS = 8

/** It runs in this folder, and everything that it names is a file or a folder of the session. */
function isHarmlessIn(from: string, command: ReadingCommand, around: Surroundings, denied: readonly string[]): boolean {
  const { folders, roots } = around
  if (!isIn(folders, from)) return false
  if (command.isGit && !(runsNothing(from) && isInRoots(repositoryOf(from), [...folders, ...roots]))) return false
  const names = command.paths.length > 0 ? [...command.paths, ...madeBy(command, from)] : ['.']
  return names.every((name) =>
    realPathsOf(name, from).every((real) => {
      const kind = kindOf(real)
      if (!isIn(folders, real) || kind === 'other') return false
      if (command.cd !== undefined && kind !== 'folder') return false
      if (command.filesOnly && kind === 'folder' && command.paths.length > 0) return false
      if ((command.makes || command.moves) && isHidden(real, folders)) return false
      return !command.isDeep || !denied.some((place) => isInside(place, real))
    }),
  )
}

/** `cp a b` makes `b/a`, or writes through a link of that name, where `b` is a folder. */
function madeBy({ paths, moves }: ReadingCommand, from: string): string[] {
  const [last, ...sources] = paths.toReversed()
  if (!moves || last === undefined) return []
  const folders = realPathsOf(last, from).filter((real) => kindOf(real) === 'folder')
  return folders.flatMap((folder) => sources.map((source) => path.join(folder, path.basename(source))))
}

const isInRoots = (repository: string | null, roots: readonly string[]) =>
  repository === null || isIn(roots, repository)

const isIn = (folders: readonly string[], real: string) => folders.some((folder) => isInside(real, folder))

/** Configuration of programs, `.git` before all. */
const isHidden = (real: string, folders: readonly string[]) =>
  folders.some(
    (folder) =>
      isInside(real, folder) &&
      path
        .relative(folder, real)
        .split(path.sep)
        .some((step) => step.startsWith('.')),
  )

/** A device and a pipe are `other`. What does not exist is only missed. */
function kindOf(real: string): 'file' | 'folder' | 'missing' | 'other' {
  try {
    const found = lstatSync(real)
    return found.isFile() ? 'file' : found.isDirectory() ? 'folder' : 'other'
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'missing' : 'other'
  }
}
