/** What a named reader of all stored events declares. */
import type { SessionEventKind } from '@roundhouse/backend-types'
import type { AppendEntry } from '../ports/append-store'
import type { WriteTx } from '../ports/stores'

/** Runs in the transaction that moves the cursor, so nothing in the hub's own database happens twice. */
export type FollowerWrite = (tx: WriteTx) => Promise<void>

export interface Follower {
  /** The name of its cursor, which must never change. */
  readonly name: string
  /** Null: every kind. */
  readonly kinds: ReadonlySet<SessionEventKind> | null
  /**
   * Entries come in append order, at least once: effects outside the database may repeat after a crash. An erased
   * session or a blanked event comes after the events that it takes back. Returns what to write, or null.
   */
  take(entries: readonly AppendEntry[]): Promise<FollowerWrite | null>
  /** Runs the work of one lot: it takes entries, and writes what it made of them. Others that change the same wait for its end. */
  inTurn?(work: () => Promise<void>): Promise<void>
  /** What the last `take` returned is committed. */
  written?(): void
}
