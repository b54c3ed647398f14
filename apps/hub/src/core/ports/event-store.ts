/** What the core needs of a store to keep the events of sessions. */
import type { StoredEvent } from '@roundhouse/backend-types'
import type { EventsLimit } from './page-limits'

export interface EventStore {
  /** Upwards from after `after`. At least one event if there is one, whatever its size. */
  after(sessionId: string, after: number, limit: EventsLimit): Promise<StoredEvent[]>
  /** Downwards from before `before`, returned oldest first. */
  before(sessionId: string, before: number, limit: EventsLimit): Promise<StoredEvent[]>
  /** Events and bytes after `after`, counted no further than the limit. */
  measureAfter(sessionId: string, after: number, limit: EventsLimit): Promise<{ events: number; bytes: number }>
}
