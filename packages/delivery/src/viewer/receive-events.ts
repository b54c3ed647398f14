/**
 * What a viewer applies (VIEW-2, VIEW-3): the next number and nothing else. What it has is ignored, what comes too early
 * is held while the missing range is fetched. So a viewer that was away ends with what one that stayed has (VIEW-6).
 */
import { lastSeqOf, type StoredEvent } from '@roundhouse/backend-types'

export interface ViewCursor {
  /** A cursor of another epoch proves nothing: take a snapshot (REB-2). */
  readonly hubEpoch: string
  readonly last: number
  /** Came too early, in order, without doubles. */
  readonly held: readonly StoredEvent[]
}

export interface Missing {
  after: number
  upTo: number
}

export interface ReceivedEvents {
  cursor: ViewCursor
  /** In order, to be applied now. */
  apply: StoredEvent[]
  missing: Missing | null
}

/** Beyond this many the latest are let go; the head brings them back. */
const heldLimit = 500

export function openCursor(hubEpoch: string, head: number): ViewCursor {
  return { hubEpoch, last: head, held: [] }
}

export function receiveEvents(cursor: ViewCursor, events: readonly StoredEvent[]): ReceivedEvents {
  const bySeq = new Map<number, StoredEvent>()
  for (const event of [...cursor.held, ...events]) {
    if (lastSeqOf(event) > cursor.last && !bySeq.has(event.seq)) bySeq.set(event.seq, event)
  }
  const apply: StoredEvent[] = []
  const held: StoredEvent[] = []
  let last = cursor.last
  for (const event of [...bySeq.values()].sort((a, b) => a.seq - b.seq)) {
    if (event.seq > last + 1) held.push(event)
    else if (lastSeqOf(event) > last) {
      apply.push(event)
      last = lastSeqOf(event)
    }
  }
  const first = held[0]
  return {
    cursor: { hubEpoch: cursor.hubEpoch, last, held: held.slice(0, heldLimit) },
    apply,
    missing: first ? { after: last, upTo: first.seq - 1 } : null,
  }
}

/** What to fetch when the hub says how far the log goes. */
export function receiveHead(cursor: ViewCursor, head: number): Missing | null {
  if (head <= cursor.last) return null
  const first = cursor.held[0]
  return { after: cursor.last, upTo: first ? first.seq - 1 : head }
}
