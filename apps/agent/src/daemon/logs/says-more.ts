/**
 * Finds sessions whose last report says more than their events (LINK-5): waiting prompts, and whether they are held.
 * The daemon sends such a report at each connection, because the hub keeps reports only in memory.
 */
import type { HostState } from '@roundhouse/backend-types'

export const saysMore = (state: HostState | null): boolean =>
  state !== null && state.status.status !== 'ended' && (state.queue.length > 0 || state.queueHeld)
