/**
 * What the machine's policy refuses by name, whoever asks or allows (`denyTools`, `denyPaths`). Paths are compared where
 * links really lead, also those of a file that does not exist yet; a denied file that is there is known under every name that it has.
 */
import { statSync } from 'node:fs'
import { type Action, isInside } from './digest'
import { placesOf, realPathOf } from './named-paths'

export interface DenyRules {
  denyTools?: readonly string[] | undefined
  denyPaths?: readonly string[] | undefined
}

/** The rule that forbids this action; null where none does. */
export function deniedBy(action: Action, rules: DenyRules): 'denyTools' | 'denyPaths' | null {
  if (rules.denyTools?.includes(action.tool)) return 'denyTools'
  const denied = (rules.denyPaths ?? []).map((place) => realPathOf(place))
  if (denied.length === 0) return null
  const named = [realPathOf(action.cwd), ...placesOf(action.input, action.cwd).flatMap(({ real }) => real)]
  return isBelow(named, denied) || isSameFile(named, denied) ? 'denyPaths' : null
}

const isBelow = (named: readonly string[], denied: readonly string[]) =>
  named.some((name) => denied.some((place) => isInside(name, place)))

/** A hard link is no path below the denied one. Nothing is looked up unless a file is denied. */
function isSameFile(named: readonly string[], denied: readonly string[]): boolean {
  const files = new Set(denied.flatMap(identityOf))
  return files.size > 0 && [...new Set(named)].flatMap(identityOf).some((identity) => files.has(identity))
}

/** Empty for what is no file, or not there. */
function identityOf(place: string): string[] {
  try {
    const found = statSync(place, { bigint: true, throwIfNoEntry: false })
    return found?.isFile() ? [`${found.dev} ${found.ino}`] : []
  } catch {
    return [] // a name that is too long, or nobody's to look at
  }
}
