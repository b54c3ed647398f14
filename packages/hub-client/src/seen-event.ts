/** A stored event with its body read once. `event` is null for what this build does not know: show it as unsupported. */
import { type HubOnlyEvent, parseEventBody, type SessionEvent, type StoredEvent } from '@roundhouse/backend-types'

export interface SeenEvent extends Omit<StoredEvent, 'body' | 'hash'> {
  event: SessionEvent | HubOnlyEvent | null
}

export function seen(stored: StoredEvent): SeenEvent {
  const { body, hash: _hash, ...envelope } = stored
  return { ...envelope, event: parseEventBody(body) }
}

export function isSessionEvent(event: SessionEvent | HubOnlyEvent): event is SessionEvent {
  return event.kind !== 'tombstone' && event.kind !== 'opaque'
}
