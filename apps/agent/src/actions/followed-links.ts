/**
 * The targets that a command reaches by links that it does not name: those that a pattern matches (`cat *`), and those
 * inside its folders if it follows links (`grep -R`, `rg --follow`). A repository may contain such a link.
 */
import { type Dirent, readdirSync } from 'node:fs'
import path from 'node:path'
import type { CommandNames } from './command-names'
import { realPathOf } from './named-paths'
import { isSign, matches } from './pattern-reach'

/** Of one action; they take some milliseconds. */
const MOST_ENTRIES = 5_000

export interface FollowedLinks {
  /** Real paths of what the links that its patterns match lead to. */
  matched: readonly string[]
  /** The same of the links into which it goes by itself. */
  entered: readonly string[]
  /** False: there is more than was looked at. */
  complete: boolean
}

export function followedLinks({ words, patterns }: CommandNames, folders: readonly string[]): FollowedLinks {
  const budget = { left: MOST_ENTRIES }
  const matched = patterns.flatMap((pattern) =>
    (pattern.startsWith('/') ? ['/'] : folders).flatMap((folder) => expand(stepsOf(pattern), folder, false, budget)),
  )
  const entered = goesIntoLinks(words) ? folders.flatMap((folder) => linksBelow(realPathOf(folder), budget)) : []
  return { matched, entered, complete: budget.left > 0 }
}

const stepsOf = (pattern: string) => pattern.split('/').filter((step) => step !== '' && step !== '.')

interface Budget {
  left: number
}

/** What is matched by way of a link, or is one. */
function expand(steps: readonly string[], at: string, byLink: boolean, budget: Budget): string[] {
  const [step, ...rest] = steps
  if (step === undefined) return byLink ? [realPathOf(at)] : []
  if (!isSign(step)) return expand(rest, `${at}/${step}`, byLink, budget)
  return entriesOf(at, budget)
    .filter(({ name }) => matches(step, name))
    .flatMap((entry) => expand(rest, path.join(at, entry.name), byLink || entry.isSymbolicLink(), budget))
}

function linksBelow(top: string, budget: Budget): string[] {
  const found: string[] = []
  const folders = [top]
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    for (const entry of entriesOf(folder, budget)) {
      const place = path.join(folder, entry.name)
      if (entry.isSymbolicLink()) found.push(realPathOf(place))
      else if (entry.isDirectory()) folders.push(place)
    }
  }
  return found
}

function entriesOf(folder: string, budget: Budget): Dirent[] {
  if (budget.left <= 0) return []
  try {
    const entries = readdirSync(folder, { withFileTypes: true })
    budget.left -= entries.length
    return entries
  } catch {
    return [] // no folder, or nobody's to look at
  }
}

/** What makes a program go into links. */
const ways: ReadonlyMap<string, RegExp> = new Map([
  ...['grep', 'egrep', 'fgrep', 'zgrep', 'ugrep'].map(
    (name) => [name, /^-[A-Za-z]*R|^--dereference-recursive$/] as const,
  ),
  ...['find', 'ls', 'du', 'cp', 'rsync', 'rg', 'fd'].map(
    (name) => [name, /^-[A-Za-z]*L|^--(?:dereference|follow|copy-links)$|^-follow$/] as const,
  ),
  ...['diff', 'zip', 'scp'].map((name) => [name, /^-[A-Za-z]*r|^--recursive$/] as const),
  ['tar', /^-?[A-Za-z]*h|^--dereference$/],
  ['tree', /^-[A-Za-z]*l/],
])

const goesIntoLinks = (words: readonly string[]): boolean =>
  words.some((program) => {
    const way = ways.get(path.basename(program))
    return way !== undefined && words.some((word) => way.test(word))
  })
