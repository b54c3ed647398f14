/**
 * Which requests the host answers by itself (PERM-10, PERM-11): commands that the program asks about only because it was told to ask about
 * every one. It runs them unasked by its own rules; here is judged which of them really need nobody.
 */
import type { PermissionRequest } from '@roundhouse/backend-types'
import { changesOnly, readsOnly, type Surroundings, staysInFolders } from '../../actions/reads-only'
import { isAskedByRules, wordsBehindRules } from '../../commands/command-rules'
import type { WideAction } from './wide-action'

export function runsUnasked(
  { input, meta }: PermissionRequest,
  action: WideAction | null,
  around: Surroundings,
): boolean {
  const rules = meta?.byOwnRules
  if (rules === undefined || isAskedByRules(commandIn(input), rules.asks)) return false
  if (rules.anything) return true
  if (action?.kind !== 'command') return false
  const { text } = action
  const behind = wordsBehindRules(text, rules.commands)
  return (
    readsOnly(text, around) ||
    (rules.edits && changesOnly(text, around)) ||
    // As the program itself: a rule for a command is none for places outside.
    (behind !== null && staysInFolders(behind, around))
  )
}

const commandIn = (input: unknown): string => {
  const command = (input as { command?: unknown } | null)?.command
  return typeof command === 'string' ? command : ''
}
