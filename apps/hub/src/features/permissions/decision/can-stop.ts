/** Whether a request belongs to a turn that runs still: a helper's question outlives the turn that it began in. Pure. */
import type { PermissionAsk } from '@roundhouse/backend-types'

/** `running`: the turn that runs, `null` where none does, absent where nobody knows. */
export function canStopTurn({ turnId }: Pick<PermissionAsk, 'turnId'>, running: string | null | undefined): boolean {
  if (running === undefined) return turnId !== undefined
  return running !== null && (turnId === undefined || turnId === running)
}
