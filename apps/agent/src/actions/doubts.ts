/**
 * What a check of names cannot settle about an action. Each doubt is a line of the prompt, and only a person, or a grant of
 * exactly this text, can allow an action that has one (PERM-5).
 */
import { isInside } from '../files/is-inside'
import { foldersOf } from './command-folders'
import { namesOfCommand } from './command-names'
import type { DenyRules, NamedAction } from './denied'
import { pathFields, placesFrom, realPathOf } from './named-paths'
import { reachOf } from './pattern-reach'
import { ANY, ONE } from './shell-meaning'

const MOST_NAMED = 3
const LONGEST_NAMED = 60

export function doubtsOf({ input, cwd }: NamedAction, rules: DenyRules): string[] {
  const own = (rules.agentPlaces ?? []).map(realPathOf)
  const denied = (rules.denyPaths ?? []).map(realPathOf)
  if (own.length + denied.length === 0) return []
  const { words, patterns, unknown } = namesOfCommand(input, cwd)
  const { folders, all } = foldersOf([...new Set(words)], cwd)
  const reaches = (pattern: string, places: readonly string[]) =>
    places.flatMap((place) => folders.map((folder) => reachOf(pattern, folder, place)))
  const open = patterns.filter((pattern) => reaches(pattern, [...own, ...denied]).includes('may'))
  const wide = patterns.some((pattern) => reaches(pattern, own).includes('holds'))
  const named = [...words, ...pathFields(input)].flatMap((name) =>
    placesFrom([name], foldersFor(name, words, cwd, folders)),
  )
  return [
    ...notKnown(unknown),
    ...mayMatch(open),
    ...(all
      ? []
      : ['It names more folders than are looked into. What it names in them is not checked against denyPaths.']),
    ...(wide || isAround([...named.flatMap(({ real }) => real), cwd], own)
      ? ["It names a folder that holds the agent's own files."]
      : []),
  ]
}

/** `cd ..` goes up once: the folder to which a word leads is none from which it is read, unless it is there twice. */
function foldersFor(
  name: string,
  words: readonly string[],
  cwd: string,
  folders: readonly string[],
): readonly string[] {
  const isOnce = words.indexOf(name) === words.lastIndexOf(name)
  if (!isOnce || !name.startsWith('..')) return folders
  return foldersOf(
    [...new Set(words)].filter((word) => word !== name),
    cwd,
  ).folders
}

const isAround = (named: readonly string[], own: readonly string[]): boolean =>
  named.some((name) => own.some((place) => place !== name && isInside(place, name)))

function notKnown(unknown: readonly string[]): string[] {
  if (unknown.length === 0) return []
  return [`Not known before it runs: ${listed(unknown)}. What that names is not checked against denyPaths.`]
}

function mayMatch(patterns: readonly string[]): string[] {
  if (patterns.length === 0) return []
  const written = patterns.map((pattern) => pattern.replaceAll(ANY, '*').replaceAll(ONE, '?'))
  return [`It can match what is denied by name here: ${listed(written)}.`]
}

function listed(texts: readonly string[]): string {
  const different = [...new Set(texts)]
  const shown = different
    .slice(0, MOST_NAMED)
    .map((text) => (text.length > LONGEST_NAMED ? `${text.slice(0, LONGEST_NAMED)}…` : text))
  return different.length > MOST_NAMED
    ? `${shown.join(', ')} and ${different.length - MOST_NAMED} more`
    : shown.join(', ')
}
