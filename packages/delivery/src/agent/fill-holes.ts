/**
 * What a log lacks is sent as a visible gap (REB-2). Two things leave a hole: pruning takes the beginning (REB-3), and a
 * rebase leaves out the numbers that only the hub holds (REB-1). The gap is made when the log is read and never stored,
 * so it always fits what the hub asked for.
 */
import { type EventEnvelope, lastSeqOf } from '@roundhouse/backend-types'

/**
 * `rows` are the first stored rows in (`after`, `upTo`], in order, as many as one batch takes; none means that there are
 * none. `makeGap` is `gapEvent` with reason `pruned`, the agent's hash and clock.
 */
export function fillHoles(
  after: number,
  upTo: number,
  rows: readonly EventEnvelope[],
  makeGap: (from: number, to: number) => EventEnvelope,
): EventEnvelope[] {
  if (rows.length === 0) return upTo > after ? [makeGap(after + 1, upTo)] : []
  const filled: EventEnvelope[] = []
  let last = after
  for (const row of rows) {
    if (row.seq > last + 1) filled.push(makeGap(last + 1, row.seq - 1))
    filled.push(row)
    last = lastSeqOf(row)
  }
  return filled
}
