/** An event as it was stored: the types of its columns, and a text whose SHA-256 is the one beside it. */
import { createHash } from 'node:crypto'
import { HubOnlyEvent, type StoredEvent } from '@roundhouse/backend-types'
import type { RawEvent } from './rows'

export interface EventsRead {
  events: StoredEvent[]
  /** No row is left behind the last. */
  isEnd: boolean
}

export function isWholeEvent(row: RawEvent): boolean {
  const { seq, toSeq, kind, v, at, storedAt, hash, body } = row
  const numbers = [seq, v, at, storedAt].every((value) => Number.isSafeInteger(value) && value >= 0)
  const range = toSeq === null || (Number.isSafeInteger(toSeq) && toSeq >= seq)
  if (!numbers || !range || typeof kind !== 'string' || typeof body !== 'string') return false
  if (!Buffer.isBuffer(hash) || hash.length !== 32) return false
  return kind === 'tombstone' ? isTombstone(row) : createHash('sha256').update(body).digest().equals(hash)
}

/** The hub's own words, in the place of a body that it did not take. */
function isTombstone({ body, hash }: RawEvent): boolean {
  try {
    const event = HubOnlyEvent.parse(JSON.parse(body))
    return event.kind === 'tombstone' && event.sha256 === hash.toString('hex')
  } catch {
    return false
  }
}
