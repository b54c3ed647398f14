/**
 * What the core needs of a store to read everything that was stored, in the order in which it was. A store with several writers
 * hands out positions in the order of the commits: whoever has read position 7 never finds a new row at 6.
 */
import type { StoredEvent } from '@roundhouse/backend-types'
import type { EventsLimit } from './page-limits'

/** A place in the order of appends: up to event `seq` of the row at `position`. Everything before it is behind the reader. */
export interface AppendCursor {
  position: number
  seq: number
}

export type AppendEntry =
  /** Of one session, in order. Without those that were erased since. */
  | { kind: 'events'; position: number; sessionId: string; events: StoredEvent[] }
  /** The session was deleted: what a follower keeps of it goes. */
  | { kind: 'erased'; position: number; sessionId: string }
  /** The body of this event was blanked: what a follower keeps of it goes. The hub does not blank events yet (LOG-9). */
  | { kind: 'blanked'; position: number; sessionId: string; seq: number }

export interface AppendLot {
  entries: AppendEntry[]
  /** Where the next lot begins. */
  cursor: AppendCursor
  /** Nothing more was stored. */
  isEnd: boolean
}

export interface AppendStore {
  /** Position of what was stored last; 0: nothing was. */
  newest(): Promise<number>
  /** From behind a cursor on. Events of these kinds alone; null: of all. At least one row, whatever its size. */
  after(cursor: AppendCursor, limit: EventsLimit, kinds: ReadonlySet<string> | null): Promise<AppendLot>
  /** Of the follower of this name; at the beginning where it never moved. */
  cursor(follower: string): Promise<AppendCursor>
}

/** In a person's transaction. */
export interface FollowerWrites {
  /** The cursor stands here when this transaction commits. */
  move(follower: string, cursor: AppendCursor): Promise<void>
}
