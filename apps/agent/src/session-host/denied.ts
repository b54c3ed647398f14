/**
 * What the machine's policy refuses by name, whoever asks or allows (`denyTools`, `denyPaths`). Paths are compared where
 * links really lead, also those of a file that does not exist yet.
 */
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
  return named.some((name) => denied.some((place) => isInside(name, place))) ? 'denyPaths' : null
}
