/**
 * Finds sessions whose last account says more than their events (LINK-5): waiting prompts, and whether they are held.
 * The daemon sends such an account at each connection, because the hub keeps accounts only in memory.
 */
import type { HostState } from '@roundhouse/backend-types'

export const saysMore = (state: HostState | null): boolean =>
  state !== null && state.status.status !== 'ended' && (state.queue.length > 0 || state.queueHeld)
