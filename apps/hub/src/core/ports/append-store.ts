/**
 * Reads everything that was stored, in the order in which it was stored. A store with several writers assigns positions
 * in commit order: a reader of position 7 never finds a new row at 6.
 */
import type { StoredEvent } from '@roundhouse/backend-types'
import type { EventsLimit } from './page-limits'

/** A place in append order: up to event `seq` of the row at `position`. The reader has taken everything before it. */
export interface AppendCursor {
  position: number
  seq: number
}

export type AppendEntry =
  /** Events of one session, in order, without erased ones. */
  | { kind: 'events'; position: number; sessionId: string; events: StoredEvent[] }
  /** The session was deleted, so a follower must delete what it holds of it. */
  | { kind: 'erased'; position: number; sessionId: string }
  /**
   * The body of this event was blanked, so a follower must delete what it holds of it. The hub does not blank events
   * yet (LOG-9).
   */
  | { kind: 'blanked'; position: number; sessionId: string; seq: number }

export interface AppendLot {
  entries: AppendEntry[]
  /** Where the next batch begins. */
  cursor: AppendCursor
  /** There is nothing more. */
  isEnd: boolean
}

export interface AppendStore {
  /** Position of the newest entry; 0: there is none. */
  newest(): Promise<number>
  /** Entries after a cursor. `kinds` limits the events; null: all kinds. At least one row, whatever its size. */
  after(cursor: AppendCursor, limit: EventsLimit, kinds: ReadonlySet<string> | null): Promise<AppendLot>
  /** The cursor of the follower with this name; the beginning if it never moved. */
  cursor(follower: string): Promise<AppendCursor>
}

/** In a person's transaction. */
export interface FollowerWrites {
  /** Moves the cursor when this transaction commits. */
  move(follower: string, cursor: AppendCursor): Promise<void>
}
