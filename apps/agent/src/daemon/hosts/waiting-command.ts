import type { HostState } from '@roundhouse/backend-types'

/** The prompt that would be next; null if there is none, or none may start. */
export function waitingCommand({ queue, queueHeld, status, turnId }: HostState): string | null {
  if (queueHeld || turnId !== undefined || status.status === 'ended') return null
  return queue[0]?.commandId ?? null
}
