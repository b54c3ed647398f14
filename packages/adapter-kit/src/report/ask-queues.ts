/**
 * Requests that wait for a person, of a program that names them by ids of its own and may ask twice about one call. The contract names a
 * request by its call. So one request of a call is shown at a time, and the next one follows the decision: a decision
 * cannot reach the wrong request.
 */
import type { PermissionRequest } from '@roundhouse/backend-types'

interface Queued {
  request: Pick<PermissionRequest, 'callId'>
}

export class AskQueues<Ask extends Queued> {
  /** By call. The first of each is shown. */
  private readonly queues = new Map<string, Ask[]>()

  /** True if the request is to be shown now. */
  add(ask: Ask): boolean {
    const { callId } = ask.request
    const queue = this.queues.get(callId) ?? []
    queue.push(ask)
    this.queues.set(callId, queue)
    return queue.length === 1
  }

  shown(callId: string): Ask | undefined {
    return this.queues.get(callId)?.[0]
  }

  isAsked(callId: string): boolean {
    return this.queues.has(callId)
  }

  /** `next`: of the same call, if the removed one was shown and another one waits. */
  remove(isIt: (ask: Ask) => boolean): { ask: Ask; wasShown: boolean; next: Ask | undefined } | undefined {
    for (const [callId, queue] of this.queues) {
      const at = queue.findIndex(isIt)
      const [ask] = at === -1 ? [] : queue.splice(at, 1)
      if (!ask) continue
      if (queue.length === 0) this.queues.delete(callId)
      return { ask, wasShown: at === 0, next: at === 0 ? queue[0] : undefined }
    }
    return undefined
  }

  /** Removes all requests of the calls whose shown request fits. The first of each list was shown. */
  removeCalls(fits: (shown: Ask) => boolean): Ask[][] {
    const removed = [...this.queues].filter(([, [first]]) => first !== undefined && fits(first))
    for (const [callId] of removed) this.queues.delete(callId)
    return removed.map(([, queue]) => queue)
  }
}
