/** In which ways a person may approve a plan here, and what else the request holds. Pure. */
import type { AskPlan, PermissionAsk } from '@roundhouse/backend-types'

export interface Approval {
  label: string
  /** The mode in which the session goes on; absent: as the program sees fit. */
  mode?: string
}

/** The mode of a session is changed by people who may prompt; the others approve and leave it alone. */
export function approvalsOf(ask: PermissionAsk, { modes = {} }: AskPlan, mayPrompt: boolean): Approval[] {
  if (!mayPrompt || !ask.canSetMode) return [{ label: 'Approve' }]
  const asks: Approval[] = modes.ask === undefined ? [] : [{ label: 'Approve and ask', mode: modes.ask }]
  const accepts: Approval[] =
    modes.acceptEdits === undefined ? [] : [{ label: 'Approve and accept edits', mode: modes.acceptEdits }]
  const all = [...asks, ...accepts]
  return all.length > 0 ? all : [{ label: 'Approve' }]
}

/** What the plan itself does not say: everything of the input is shown (PERM-7). */
export function furtherInput(ask: PermissionAsk, plan: AskPlan): Array<[name: string, value: unknown]> {
  if (typeof ask.input !== 'object' || ask.input === null) return []
  return Object.entries(ask.input).filter(([, value]) => value !== plan.text)
}
