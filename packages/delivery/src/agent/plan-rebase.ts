/**
 * The only edit that a log ever sees (REB-1): the hub holds numbers up to `to` that this log has lost, so what the hub
 * does not have yet moves up behind a gap at `to + 1`. The lease holder does it in one transaction, which also sets
 * `acked` to `to`; the numbers between `held` and `to` stay a hole in this log (see `fillHoles`).
 */
import { type EventEnvelope, lastSeqOf } from '@roundhouse/backend-types'
import { gapEvent, gapReasonOf } from '../events/gap-event'
import type { RebaseOrder } from './send-planner'

export interface RebasePlan {
  /** One number wide: nobody knows how many events the lost part had. */
  gap: { from: number; to: number }
  /** To be added to the number of every event after `held`. */
  moveBy: number
}

/** `events`: this log's events after `order.held`, in order. */
export function planRebase(events: readonly EventEnvelope[], order: RebaseOrder): RebasePlan {
  const at = order.to + 1
  const first = events[0]
  return { gap: { from: at, to: at }, moveBy: first ? at + 1 - first.seq : 0 }
}

/** An event at its new number. Hash and body stay, except for a gap, whose body names its range. */
export function moveEvent(event: EventEnvelope, moveBy: number, sha256: (text: string) => string): EventEnvelope {
  const seq = event.seq + moveBy
  const reason = gapReasonOf(event)
  if (reason === null) return { ...event, seq }
  return gapEvent({ from: seq, to: lastSeqOf(event) + moveBy }, reason, event.at, sha256)
}

/** The whole edit: what the log holds after `held` from now on. An order that was carried out before changes nothing. */
export function rebaseEvents(
  events: readonly EventEnvelope[],
  order: RebaseOrder,
  at: number,
  sha256: (text: string) => string,
): EventEnvelope[] {
  const first = events[0]
  if (first && first.seq === order.to + 1 && gapReasonOf(first) === 'rebase') return [...events]
  const { gap, moveBy } = planRebase(events, order)
  return [gapEvent(gap, 'rebase', at, sha256), ...events.map((event) => moveEvent(event, moveBy, sha256))]
}
