/**
 * How much of a log's beginning to remove (REB-3): events that are too old or too many, oldest first, and only those that
 * the hub has stored. Pure. The caller keeps the last event, which holds the log's position.
 */
export interface OldEvent {
  /** The last number that it stands for. */
  last: number
  at: number
  /** On the disk. */
  bytes: number
}

export interface PruneRules {
  acked: number
  /** Events of before this time go. */
  before: number
  /** So many bytes are too many. */
  excessBytes: number
}

/** The last number that goes; 0 where nothing does. `oldest`: in order. */
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
