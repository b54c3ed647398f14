/** At New session: the budget of the sessions that it starts, as the person wrote it. Pure. */
import type { CreateSessionRequest } from '@roundhouse/backend-types'

/** Empty: it starts none. Null: it is no budget. */
export function spawningOf(text: string): Pick<CreateSessionRequest, 'spawning'> | null {
  const written = text.trim().replace(',', '.')
  if (written === '') return {}
  const budgetUsd = Number(written)
  return /^\d{1,6}(\.\d{1,4})?$/.test(written) && budgetUsd > 0 ? { spawning: { budgetUsd } } : null
}
