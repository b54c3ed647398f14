import type { Action, DecisionRequest } from '@roundhouse/backend-types'

/** PERM-2: who changes what runs, or the mode in which the session goes on, does what a prompt does. */
export function neededFor({ updatedInput, mode }: Pick<DecisionRequest, 'updatedInput' | 'mode'>): Action[] {
  const changes = updatedInput !== undefined || mode !== undefined
  return changes ? ['permission.decide', 'session.prompt'] : ['permission.decide']
}
