/**
 * Refuses actions by name, whoever asks or allows: the agent's own files (POL-4), and what the machine's policy denies
 * (`denyTools`, `denyPaths`). Paths are compared by their real targets, also for files that do not exist yet, and folders
 * and files by identity, so that another name for one is found too.
 */
import { isInside } from '../files/is-inside'
import { foldersOf } from './command-folders'
import { namesOfCommand } from './command-names'
import { followedLinks } from './followed-links'
import { Identities } from './identities'
import { placesOf, realPathOf } from './named-paths'
import { reachOf } from './pattern-reach'

export interface DenyRules {
  denyTools?: readonly string[] | undefined
  denyPaths?: readonly string[] | undefined
  /** The agent's own places, by real path. */
  agentPlaces?: readonly string[] | undefined
}

export interface NamedAction {
  tool: string
  input: unknown
  /** Real path. */
  cwd: string
}

export type DenyRule = 'denyTools' | 'agentHome' | 'denyPaths'

/** The rule that forbids this action; null where none does. */
export function deniedBy(action: NamedAction, rules: DenyRules): DenyRule | null {
  if (rules.denyTools?.includes(action.tool)) return 'denyTools'
  const own = (rules.agentPlaces ?? []).map(realPathOf)
  const denied = (rules.denyPaths ?? []).map(realPathOf)
  if (own.length + denied.length === 0) return null
  const named = namedBy(action)
  if (named.reach(own) || named.identities.hardLinkInto(own)) return 'agentHome'
  return named.reach(denied) ? 'denyPaths' : null
}

interface Named {
  identities: Identities
  reach(places: readonly string[]): boolean
}

function namedBy({ input, cwd }: NamedAction): Named {
  const names = namesOfCommand(input, cwd)
  const { folders } = foldersOf([...new Set(names.words)], cwd)
  const { matched, entered } = followedLinks(names, folders)
  const real = [...new Set([realPathOf(cwd), ...placesOf(input, cwd).flatMap((place) => place.real)])]
  const identities = new Identities(real)
  const matchesOne = (place: string) =>
    names.patterns.some((pattern) => folders.some((folder) => reachOf(pattern, folder, place) === 'inside'))
  return {
    identities,
    reach: (places) =>
      places.some(
        (place) =>
          [...real, ...matched, ...entered].some((name) => isInside(name, place)) ||
          entered.some((name) => isInside(place, name)) ||
          matchesOne(place),
      ) || identities.areBelow(places),
  }
}
