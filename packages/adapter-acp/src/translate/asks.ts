/** A request that waits for a person, and how the program hears of the decision. */
import type { RpcId } from '@roundhouse/adapter-kit'
import type { Json } from '@roundhouse/adapter-kit/read'
import type { PermissionDecision, PermissionRequest } from '@roundhouse/backend-types'
import type { Choices } from './options'

export interface Ask {
  id: RpcId
  choices: Choices
  request: PermissionRequest
}

export const cancelled: Json = { outcome: 'cancelled' }

/** A grant stays with the host, so `allow_session` is a plain allow (PERM-5). Not answered is not refused (PERM-4). */
export function outcomeOf({ choices }: Ask, { decision, unanswered }: PermissionDecision): Json {
  if (unanswered || decision === 'abort') return cancelled
  const option = decision === 'deny' ? choices.deny : choices.allow
  return option ? { outcome: 'selected', optionId: option.optionId } : cancelled
}
