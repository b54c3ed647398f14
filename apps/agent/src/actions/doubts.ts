/**
 * What a check of names cannot resolve in an action. Each doubt is a line of the prompt, and only a person, or a grant for
 * exactly this text, can allow such an action (PERM-5).
 */
import path from 'node:path'
import { isInside } from '../files/is-inside'
import { foldersOf } from './command-folders'
import { namesOfCommand } from './command-names'
import type { DenyRules, NamedAction } from './denied'
import { followedLinks } from './followed-links'
import { pathFields, placesFrom, realPathOf } from './named-paths'
import { reachOf } from './pattern-reach'
import { ANY, ONE } from './shell-meaning'

const MOST_NAMED = 3
const LONGEST_NAMED = 60

export function doubtsOf({ input, cwd }: NamedAction, rules: DenyRules): string[] {
  const own = (rules.agentPlaces ?? []).map(realPathOf)
  const denied = (rules.denyPaths ?? []).map(realPathOf)
  if (own.length + denied.length === 0) return []
  const names = namesOfCommand(input, cwd)
  const { words, patterns, unknown } = names
  const times = timesOf(words)
  const { folders, all } = foldersOf([...times.keys()], cwd)
  const leading = leadingTo(folders, [...times.keys()])
  const followed = followedLinks(names, folders)
  const reaches = (pattern: string, places: readonly string[]) =>
    places.flatMap((place) => folders.map((folder) => reachOf(pattern, folder, place)))
  const open = patterns.filter((pattern) => reaches(pattern, [...own, ...denied]).includes('may'))
  const wide = patterns.some((pattern) => reaches(pattern, own).includes('holds'))
  const named = [...new Set([...times.keys(), ...pathFields(input)])].flatMap((name) =>
    placesFrom([name], foldersFor(name, times, cwd, folders, leading)),
  )
  return [
    ...notKnown(unknown),
    ...mayMatch(open),
    ...(all ? [] : ['It names more folders than are looked into. What it names in them is not checked.']),
    ...(followed.complete
      ? []
      : ['It may follow links, and the folder holds more than is looked at. Where they lead is not checked.']),
    ...(wide || isAround([...named.flatMap(({ real }) => real), ...followed.matched, cwd], own)
      ? ["It names a folder that holds the agent's own files."]
      : []),
    ...(textsIn(input).some((text) => [...own, ...denied].some((place) => text.includes(place)))
      ? ['A text in its input holds the name of a place that is denied here.']
      : []),
  ]
}

const DEEPEST = 32

/** Every text of a tool's input, its fields' names too: a tool that nobody knows here may take any of them for a path. */
function textsIn(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return []
  return Object.entries(value).flatMap(([name, inner]) => [name, ...textsIn(inner, depth + 1)])
}

/** A long command repeats most of its words, and each name is looked up on the disk. */
function timesOf(words: readonly string[]): ReadonlyMap<string, number> {
  const times = new Map<string, number>()
  for (const word of words) times.set(word, (times.get(word) ?? 0) + 1)
  return times
}

/** To each folder but the command's own, how many of these words lead there. */
function leadingTo(folders: readonly string[], words: readonly string[]): ReadonlyMap<string, number> {
  const leading = new Map(folders.slice(1).map((folder) => [folder, 0]))
  if (leading.size === 0) return leading
  for (const word of words) for (const led of ledTo(word, folders)) leading.set(led, (leading.get(led) ?? -1) + 1)
  return leading
}

const ledTo = (word: string, folders: readonly string[]): Set<string> =>
  new Set(folders.map((folder) => path.resolve(folder, word)).filter((led) => folders.indexOf(led) > 0))

/**
 * `cd ..` goes up once: the folder to which a word leads is none from which it is read, unless it is there twice, or another
 * word leads there too.
 */
function foldersFor(
  name: string,
  times: ReadonlyMap<string, number>,
  cwd: string,
  folders: readonly string[],
  leading: ReadonlyMap<string, number>,
): readonly string[] {
  if ((times.get(name) ?? 0) > 1 || !name.startsWith('..')) return folders
  if (![...ledTo(name, folders)].some((led) => leading.get(led) === 1)) return folders
  return foldersOf(
    [...times.keys()].filter((word) => word !== name),
    cwd,
  ).folders
}

const isAround = (named: readonly string[], own: readonly string[]): boolean =>
  named.some((name) => own.some((place) => place !== name && isInside(place, name)))

function notKnown(unknown: readonly string[]): string[] {
  if (unknown.length === 0) return []
  return [`Not known before it runs: ${listed(unknown)}. What that names cannot be checked.`]
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
