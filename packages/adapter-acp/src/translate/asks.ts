/**
 * Requests that wait for a person. The program names a request by the id of its frame and may ask twice about one call; the
 * contract names it by its call. So one request of a call is shown at a time, and the next follows the decision.
 */
import type { RpcId } from '@roundhouse/adapter-kit'
import type { Json } from '@roundhouse/adapter-kit/read'
import type { PermissionDecision, PermissionRequest } from '@roundhouse/backend-types'
import type { Choices } from './options'

export interface Ask {
  id: RpcId
  choices: Choices
  request: PermissionRequest
}

export class Asks {
  private readonly queues = new Map<string, Ask[]>()

  /** True when the request is to be shown now. */
  add(ask: Ask): boolean {
    const queue = this.queues.get(ask.request.callId) ?? []
    queue.push(ask)
    this.queues.set(ask.request.callId, queue)
    return queue.length === 1
  }

  shown(callId: string): Ask | undefined {
    return this.queues.get(callId)?.[0]
  }

  /** Takes out the one that is shown. Gives the next of the same call. */
  next(callId: string): Ask | undefined {
    const [, ...rest] = this.queues.get(callId) ?? []
    if (rest.length === 0) this.queues.delete(callId)
    else this.queues.set(callId, rest)
    return rest[0]
  }

  /** Takes out all of one call, or of all calls. The first of each call was shown. */
  removeAll(callId?: string): Array<{ ask: Ask; wasShown: boolean }> {
    const queues = [...this.queues].filter(([id]) => callId === undefined || id === callId)
    return queues.flatMap(([id, queue]) => {
      this.queues.delete(id)
      return queue.map((ask, at) => ({ ask, wasShown: at === 0 }))
    })
  }
}

export const cancelled: Json = { outcome: 'cancelled' }

/** A grant stays with the host, so `allow_session` is a plain allow (PERM-5). Not answered is not refused (PERM-4). */
export function outcomeOf({ choices }: Ask, { decision, unanswered }: PermissionDecision): Json {
  if (unanswered || decision === 'abort') return cancelled
  const option = decision === 'deny' ? choices.deny : choices.allow
  return option ? { outcome: 'selected', optionId: option.optionId } : cancelled
}
