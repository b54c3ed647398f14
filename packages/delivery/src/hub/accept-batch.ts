/**
 * What the hub does with a batch of one session's events: store the new ones, count the known ones, or refuse (ACK-3,
 * ACK-4, REB-1). Nothing is ever overwritten, and a refused batch stores nothing.
 *
 * The answer to a stored batch is `acked`, never more than the batch itself reached: an agent that lost the end of its
 * log would otherwise take the hub's number for an acknowledgement of events that the hub has never seen.
 */
import { type EventEnvelope, lastSeqOf } from '@roundhouse/backend-types'
import { gapReasonOf } from '../events/gap-event'

export interface StreamState {
  /** The log that the stored events came from; null before the first. */
  readonly logId: string | null
  /** Everything up to here is stored. */
  readonly committed: number
  readonly malformed: number
  readonly blocked: boolean
  /**
   * On this connection the session was answered with a rebase or a conflict. Batches that were already on their way must
   * not slip in behind it, so the next new event must be the rebase's gap; no command is sent until then.
   */
  readonly stopped?: boolean
}

export type BatchRefusal =
  | { kind: 'refuse'; code: 'SEQ_GAP'; expected: number }
  | { kind: 'refuse'; code: 'SEQ_CONFLICT'; seq: number; committed: number }
  | { kind: 'refuse'; code: 'SESSION_BLOCKED' }

export type BatchDecision =
  | {
      kind: 'store'
      /** Only the new ones, in order; empty when the batch was all duplicates. */
      events: EventEnvelope[]
      duplicates: number
      committed: number
      /** What to answer once `events` are on disk. */
      acked: number
      logId: string
    }
  | BatchRefusal

type HashAt = (seq: number) => string | undefined

/** `hashAt` is asked for numbers up to `committed` only. A number inside a stored gap has no hash, and agrees with nothing. */
export function acceptBatch(
  stream: StreamState,
  logId: string,
  events: readonly EventEnvelope[],
  hashAt: HashAt,
): BatchDecision {
  if (stream.blocked) return { kind: 'refuse', code: 'SESSION_BLOCKED' }
  const { committed } = stream
  const fresh: EventEnvelope[] = []
  let next: number | null = null
  for (const event of events) {
    if (next !== null && event.seq !== next) return { kind: 'refuse', code: 'SEQ_GAP', expected: next }
    next = lastSeqOf(event) + 1
    if (event.seq > committed) fresh.push(event)
    else {
      const refusal = refuseKnown(event, committed, hashAt)
      if (refusal) return refusal
    }
  }
  const first = fresh[0]
  if (first && first.seq !== committed + 1) return { kind: 'refuse', code: 'SEQ_GAP', expected: committed + 1 }
  const needsRebase = stream.stopped === true || (stream.logId !== null && stream.logId !== logId)
  if (first && needsRebase && gapReasonOf(first) !== 'rebase') {
    return { kind: 'refuse', code: 'SEQ_CONFLICT', seq: first.seq, committed }
  }
  const reached = next === null ? committed : next - 1
  return {
    kind: 'store',
    events: fresh,
    duplicates: events.length - fresh.length,
    committed: Math.max(committed, reached),
    acked: reached,
    logId: first || stream.logId === null ? logId : stream.logId,
  }
}

/** An event whose number is stored already: null when it is the same event. */
function refuseKnown(event: EventEnvelope, committed: number, hashAt: HashAt): BatchRefusal | null {
  const last = lastSeqOf(event)
  const reason = gapReasonOf(event)
  if (reason === 'pruned' || reason === 'corrupt') {
    // "I no longer have these" contradicts nothing that is stored, but a gap is stored whole or not at all.
    return last <= committed ? null : { kind: 'refuse', code: 'SEQ_GAP', expected: committed + 1 }
  }
  if (last <= committed && hashAt(event.seq) === event.hash) return null
  return { kind: 'refuse', code: 'SEQ_CONFLICT', seq: event.seq, committed }
}

/** Frames with a bad shape or envelope that a session may send before its stream is blocked (BAD-1). */
export const malformedLimit = 5

export function countMalformed(stream: StreamState): StreamState {
  const malformed = stream.malformed + 1
  return { ...stream, malformed, blocked: stream.blocked || malformed >= malformedLimit }
}
