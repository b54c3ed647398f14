/**
 * LINK-5: a session without a host is told to the hub by its events. What its last account says beyond them is told as
 * well, at each connection, since the hub keeps accounts in memory only: prompts that wait, and that they are held.
 */
import type { HostState } from '@roundhouse/backend-types'

export const saysMore = (state: HostState | null): boolean =>
  state !== null && state.status.status !== 'ended' && (state.queue.length > 0 || state.queueHeld)
