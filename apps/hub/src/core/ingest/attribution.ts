/** Adds to events the person who caused each, as far as the hub's own commands prove it (VIEW-8). */
import { parseEventBody, type SessionEvent, type SessionEventKind, type StoredEvent } from '@roundhouse/backend-types'
import type { Reads } from '../ports/stores'
import { mayHaveAuthor, type Proofs, provenAuthor } from './proven-author'

interface Deed {
  event: SessionEvent
  stored: StoredEvent
}

/** A page needs as many reads as one event. */
export async function withAuthors(
  reads: Pick<Reads, 'commands' | 'requests'>,
  sessionId: string,
  events: readonly StoredEvent[],
): Promise<StoredEvent[]> {
  const told = new Map(events.flatMap((stored) => deedOf(stored)).map((deed) => [deed.stored, deed.event]))
  if (told.size === 0) return [...events]
  const proofs = await proofsOf(reads, sessionId, [...told.values()])
  return events.map((stored) => {
    const event = told.get(stored)
    const doneBy = event && readable(() => provenAuthor(event, stored.seq, sessionId, proofs))
    return doneBy ? { ...stored, doneBy } : stored
  })
}

function deedOf(stored: StoredEvent): Deed[] {
  const event = mayHaveAuthor(stored) ? parseEventBody(stored.body) : null
  return event && event.kind !== 'tombstone' && event.kind !== 'opaque' ? [{ event, stored }] : []
}

/** Everything that may prove one of these events. */
async function proofsOf(
  reads: Pick<Reads, 'commands' | 'requests'>,
  sessionId: string,
  events: readonly SessionEvent[],
): Promise<Proofs> {
  const named = events.flatMap((event) =>
    'commandId' in event && event.commandId !== undefined ? [{ commandId: event.commandId, kind: event.kind }] : [],
  )
  const prompts = events.flatMap((event) => (event.kind === 'user_message' ? [event.promptId] : []))
  const decided = events.flatMap((event) => (event.kind === 'permission_resolved' ? [event.requestId] : []))
  const given = await reads.commands.given(named)
  const edits = await reads.commands.promptEdits(sessionId, prompts)
  const requests = await reads.requests.findMany(decided)
  const keyOf = (commandId: string, kind: SessionEventKind | string) => `${kind} ${commandId}`
  const byKey = new Map(given.map(({ commandId, kind, command }) => [keyOf(commandId, kind), command]))
  const byId = new Map(requests.map((request) => [request.requestId, request]))
  return {
    commands: {
      given: (commandId, kind) => byKey.get(keyOf(commandId, kind)),
      promptEdits: (_sessionId, promptId) => edits.get(promptId) ?? [],
    },
    requests: { find: (requestId) => byId.get(requestId) },
  }
}

/** Names nobody if the stored text makes no sense. */
function readable<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
