/** Events as people get them: beside each the person who did it, where the hub's own commands say so (VIEW-8). */
import { parseEventBody, type SessionEventKind, type StoredEvent } from '@roundhouse/backend-types'
import { type Proofs, provenAuthor } from './proven-author'

/** The kinds that may tell of a person's deed; no other body is read. */
const deeds: ReadonlySet<string> = new Set<SessionEventKind>([
  'session_created',
  'session_configured',
  'session_ended',
  'user_message',
  'permission_resolved',
  'grant_ended',
])

export function withAuthors(proofs: Proofs, sessionId: string, events: StoredEvent[]): StoredEvent[] {
  return events.map((stored) => {
    const event = deeds.has(stored.kind) ? parseEventBody(stored.body) : null
    if (!event || event.kind === 'tombstone' || event.kind === 'opaque') return stored
    const doneBy = provenAuthor(event, sessionId, proofs)
    return doneBy ? { ...stored, doneBy } : stored
  })
}
