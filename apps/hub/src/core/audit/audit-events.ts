/** Checks that stored transcripts match their hashes, one event at a time (AUD-3). Pure. */
import { sha256 } from '../common/digests'

export interface EventNow {
  sessionId: string
  seq: number
  toSeq: number | null
  kind: string
  /** Lower-case hex. */
  hash: string
  body: string
  /** For a tombstone: the hash of the text that the hub could not read and does not keep. */
  unreadHash: string | null
}

export class EventsWalk {
  readonly #last = new Map<string, number>()

  /** What is wrong with this event, or null. Events come ordered by session and number. */
  step({ sessionId, seq, toSeq, kind, hash, body, unreadHash }: EventNow): string | null {
    const expected = (this.#last.get(sessionId) ?? 0) + 1
    this.#last.set(sessionId, toSeq ?? seq)
    if (seq !== expected) return `session ${sessionId}: the events ${expected} to ${seq - 1} are missing`
    const isWhole = (kind === 'tombstone' ? unreadHash : sha256(body)) === hash
    return isWhole ? null : `session ${sessionId}: the event ${seq} is not what was stored`
  }

  /** What is missing after the last event, once all were seen. */
  end(sessions: Iterable<{ sessionId: string; committed: number }>): string[] {
    return [...sessions].flatMap(({ sessionId, committed }) => {
      const last = this.#last.get(sessionId) ?? 0
      return last === committed ? [] : [`session ${sessionId}: it ends at event ${last}, and ${committed} were stored`]
    })
  }
}
