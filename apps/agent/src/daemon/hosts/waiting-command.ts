import type { HostState } from '@roundhouse/backend-types'

/** Of the prompt that would be next; null where none is, or none may be. */
export function waitingCommand({ queue, queueHeld, status, turnId }: HostState): string | null {
  if (queueHeld || turnId !== undefined || status.status === 'ended') return null
  return queue[0]?.commandId ?? null
}
