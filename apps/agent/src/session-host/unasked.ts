/**
 * Which requests the host answers by itself (PERM-9): commands that the program asks about only because it was told to ask about
 * every one. It runs them unasked by its own rules; here is judged which of them really need nobody.
 */
import type { PermissionRequest } from '@roundhouse/backend-types'
import { changesOnly, readsOnly, type Surroundings } from '../actions/reads-only'
import { isAllowedByRules } from '../commands/command-rules'
import type { WideAction } from './wide-action'

export function runsUnasked({ meta }: PermissionRequest, action: WideAction | null, around: Surroundings): boolean {
  const rules = meta?.byOwnRules
  if (rules === undefined) return false
  if (rules.anything) return true
  if (action?.kind !== 'command') return false
  return (
    readsOnly(action.text, around) ||
    (rules.edits && changesOnly(action.text, around)) ||
    isAllowedByRules(action.text, rules.commands)
  )
}
