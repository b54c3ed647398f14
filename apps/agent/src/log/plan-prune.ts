/**
 * How much of a log's beginning to remove (REB-3): events that are too old or too many, oldest first, and only those that
 * the hub has stored. Pure. The caller keeps the last event, which holds the log's position.
 */
export interface OldEvent {
  /** The last number that the event stands for. */
  last: number
  at: number
  /** Size on disk. */
  bytes: number
}

export interface PruneRules {
  acked: number
  /** Events before this time are removed. */
  before: number
  /** How many bytes exceed the limit. */
  excessBytes: number
}

/** Returns the last number to remove, or 0. `oldest`: in order. */
export function planPrune(oldest: readonly OldEvent[], { acked, before, excessBytes }: PruneRules): number {
  let freed = 0
  let upTo = 0
  for (const { last, at, bytes } of oldest) {
    if (last > acked || (at >= before && freed >= excessBytes)) break
    upTo = last
    freed += bytes
  }
  return upTo
}
