/**
 * Whether a command only reads what the session may read, so that nobody needs to be asked (PERM-10). The program runs such
 * commands by itself, and takes more for harmless than is: a link that leads out, a pattern that meets one, a repository whose
 * configuration runs programs. Every name is looked up where it really leads, and what is not certain is asked about.
 */
import { lstatSync } from 'node:fs'
import path from 'node:path'
import { type ReadingCommand, readingCommandsOf } from '../commands/reading-commands'
import { isInside } from '../files/is-inside'
import { type DenyRules, deniedBy } from './denied'
import { doubtsOf } from './doubts'
import { runsNothing } from './git-configuration'
import { realPathOf, realPathsOf } from './named-paths'

export interface Surroundings {
  /** Real path of the folder in which the command runs. */
  cwd: string
  /** Real paths of the session's folders. */
  folders: readonly string[]
  rules: DenyRules
}

export function readsOnly(text: string, around: Surroundings): boolean {
  return isHarmless(text, readingCommandsOf(text), around)
}

/** It may also make, move and copy files of the session's folders, as the program's own tools may in that mode. */
export function changesOnly(text: string, around: Surroundings): boolean {
  return isHarmless(text, readingCommandsOf(text, { changing: true }), around)
}

function isHarmless(text: string, commands: ReadingCommand[] | null, { cwd, folders, rules }: Surroundings): boolean {
  if (commands === null) return false
  const action = { tool: 'Bash', input: { command: text }, cwd }
  if (deniedBy(action, rules) !== null || doubtsOf(action, rules).length > 0) return false
  const denied = [...(rules.agentPlaces ?? []), ...(rules.denyPaths ?? [])].map(realPathOf)
  let from = cwd
  for (const command of commands) {
    if (!isIn(folders, from) || !stays(command, from, folders, denied)) return false
    if (command.isGit && !runsNothing(from, folders)) return false
    if (command.cd !== undefined) from = realPathOf(path.resolve(from, command.cd))
  }
  return true
}

/** Everything that it names is a file or a folder of the session. */
function stays(command: ReadingCommand, from: string, folders: readonly string[], denied: readonly string[]): boolean {
  const names = command.paths.length > 0 ? command.paths : ['.']
  return names.every((name) =>
    realPathsOf(name, from).every((real) => {
      const kind = kindOf(real)
      if (!isIn(folders, real) || kind === 'other') return false
      if (command.filesOnly && kind === 'folder' && command.paths.length > 0) return false
      if (command.changes && isHidden(real, folders)) return false
      return !command.isDeep || !denied.some((place) => isInside(place, real))
    }),
  )
}

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
