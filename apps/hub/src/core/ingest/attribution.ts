/** Events as people get them: beside each the person who did it, where the hub's own commands say so (VIEW-8). */
import { parseEventBody, type StoredEvent } from '@roundhouse/backend-types'
import { deeds, type Proofs, provenAuthor } from './proven-author'

export function withAuthors(proofs: Proofs, sessionId: string, events: StoredEvent[]): StoredEvent[] {
  return events.map((stored) => {
    const event = deeds.has(stored.kind) ? parseEventBody(stored.body) : null
    if (!event || event.kind === 'tombstone' || event.kind === 'opaque') return stored
    const doneBy = readable(() => provenAuthor(event, stored.seq, sessionId, proofs))
    return doneBy ? { ...stored, doneBy } : stored
  })
}

/** Where the command behind an event cannot be read, nobody is named. */
function readable<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
