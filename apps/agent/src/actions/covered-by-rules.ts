/**
 * Decides whether rules for commands allow a line where it runs: rules of the owner's settings (PERM-11.1) and of a session
 * (PERM-12.9). A rule names the words of a command. It does not know the places that the command names, and it does not know the
 * configuration of a repository, which names programs that git runs.
 */
import { isAnyCommand, wordsBehindRules } from '../commands/command-rules'
import { foldersOf } from './command-folders'
import { namesOfCommand } from './command-names'
import { runsNothing } from './git-configuration'
import { type Surroundings, staysInFolders } from './reads-only'

export function areAllowedByRules(text: string, rules: readonly string[], around: Surroundings): boolean {
  const behind = wordsBehindRules(text, rules)
  if (behind === null || !staysInFolders(behind, around)) return false
  return rules.some(isAnyCommand) || !MAY_RUN_GIT.test(text) || gitRunsNothing(text, around.cwd)
}

/** Also by a path, as in `/usr/bin/git`. The folder `.git` is no program. */
const MAY_RUN_GIT = /(?<![\w.-])git(?!\w)/

/** In each folder in which the line may run git. */
function gitRunsNothing(text: string, cwd: string): boolean {
  const { words, patterns, unknown } = namesOfCommand({ command: text }, cwd)
  const { folders, all } = foldersOf([...new Set(words)], cwd)
  return all && patterns.length + unknown.length === 0 && folders.every(runsNothing)
}
