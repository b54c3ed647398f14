import type { Action, DecisionRequest } from '@roundhouse/backend-types'

/** PERM-2: changing what runs, or the session's mode, needs the right to prompt. */
export function neededFor({ updatedInput, mode }: Pick<DecisionRequest, 'updatedInput' | 'mode'>): Action[] {
  const changes = updatedInput !== undefined || mode !== undefined
  return changes ? ['permission.decide', 'session.prompt'] : ['permission.decide']
}
