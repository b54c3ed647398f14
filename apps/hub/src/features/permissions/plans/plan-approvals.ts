/** The ways in which a person may approve a plan, and what else the request contains. Pure. */
import type { AskPlan, PermissionAsk } from '@roundhouse/backend-types'

export interface Approval {
  label: string
  /** The mode in which the session continues; absent: the program decides. */
  mode?: string
}

/** Only people who may prompt can change the session's mode; others approve without changing it. */
export function approvalsOf(ask: PermissionAsk, { modes = {} }: AskPlan, mayPrompt: boolean): Approval[] {
  if (!mayPrompt || !ask.canSetMode) return [{ label: 'Approve' }]
  const asks: Approval[] = modes.ask === undefined ? [] : [{ label: 'Approve and keep asking', mode: modes.ask }]
  const accepts: Approval[] =
    modes.acceptEdits === undefined ? [] : [{ label: 'Approve and accept edits', mode: modes.acceptEdits }]
  const all = [...asks, ...accepts]
  return all.length > 0 ? all : [{ label: 'Approve' }]
}

/** Input that the plan's text does not contain: all of the input is shown (PERM-7). */
export function furtherInput(ask: PermissionAsk, plan: AskPlan): Array<[name: string, value: unknown]> {
  if (typeof ask.input !== 'object' || ask.input === null) return []
  return Object.entries(ask.input).filter(([, value]) => value !== plan.text)
}
