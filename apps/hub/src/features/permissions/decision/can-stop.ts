/** Whether a request belongs to the running turn. A helper's request outlives the turn in which it was made. Pure. */
import type { PermissionAsk } from '@roundhouse/backend-types'

/** `running`: the turn that is running; `null` if none is; absent if that is unknown. */
export function canStopTurn({ turnId }: Pick<PermissionAsk, 'turnId'>, running: string | null | undefined): boolean {
  if (running === undefined) return turnId !== undefined
  return running !== null && (turnId === undefined || turnId === running)
}
