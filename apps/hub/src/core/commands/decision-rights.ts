import type { Action, DecisionRequest } from '@roundhouse/backend-types'

/** PERM-2, PERM-13: changing what runs, the session's mode, or what the machine asks about, needs the right to prompt. */
export function neededFor({
  updatedInput,
  mode,
  always,
}: Pick<DecisionRequest, 'updatedInput' | 'mode' | 'always'>): Action[] {
  const changes = updatedInput !== undefined || mode !== undefined || always === true
  return changes ? ['permission.decide', 'session.prompt'] : ['permission.decide']
}
