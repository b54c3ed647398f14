/** What a named reader of all that is stored has to say of itself. */
import type { SessionEventKind } from '@roundhouse/backend-types'
import type { AppendEntry } from '../ports/append-store'
import type { WriteTx } from '../ports/stores'

/** Done in the transaction that moves the cursor: nothing in the hub's own database is done twice. */
export type FollowerWrite = (tx: WriteTx) => Promise<void>

export interface Follower {
  /** Of its cursor, which is kept under it for good. */
  readonly name: string
  /** Null: every kind. */
  readonly kinds: ReadonlySet<SessionEventKind> | null
  /**
   * In append order, at least once: what it does outside the database may happen again after a crash. An erased session or a
   * blanked event comes behind the events that it takes back. Answers what is to be written; null: nothing.
   */
  take(entries: readonly AppendEntry[]): Promise<FollowerWrite | null>
}
