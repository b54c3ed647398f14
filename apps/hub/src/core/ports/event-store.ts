/** The store of the events of sessions. */
import type { StoredEvent } from '@roundhouse/backend-types'
import type { EventsLimit } from './page-limits'

export interface EventStore {
  /** In ascending order after `after`. At least one event if there is one, whatever its size. */
  after(sessionId: string, after: number, limit: EventsLimit): Promise<StoredEvent[]>
  /** In descending order before `before`, returned oldest first. */
  before(sessionId: string, before: number, limit: EventsLimit): Promise<StoredEvent[]>
  /** Events and bytes after `after`, counted up to the limit. */
  measureAfter(sessionId: string, after: number, limit: EventsLimit): Promise<{ events: number; bytes: number }>
}
