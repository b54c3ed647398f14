/** Reads of a session: the snapshot, pages in both directions, the export. */

import {
  type Action,
  CodedError,
  type EventsPage,
  type EventsQuery,
  lastSeqOf,
  type Snapshot,
  type StoredEvent,
} from '@roundhouse/backend-types'
import { type Actor, requireCan } from '../access/access'
import type { OwnHub } from '../common/hub-identity'
import { withAuthors } from '../ingest/attribution'
import type { EventsLimit } from '../ports/page-limits'
import type { SessionRow } from '../ports/session-store'
import type { Reads } from '../ports/stores'
import type { Views } from '../views/views'

export interface SessionPagesDeps {
  hub: OwnHub
  reads: Pick<Reads, 'commands' | 'events' | 'inOneRead' | 'requests' | 'sessions' | 'trees'>
  views: Views
}

export const PAGE_EVENTS = 200
const PAGE_BYTES = 4 * 1_048_576

/** The dependencies for finding one session. */
interface SessionReader {
  reads: Pick<Reads, 'sessions'>
}

export async function requireSession({ reads }: SessionReader, sessionId: string): Promise<SessionRow> {
  const row = await reads.sessions.find(sessionId)
  if (row) return row
  throw new CodedError((await reads.sessions.isDeleted(sessionId)) ? 'SESSION_DELETED' : 'SESSION_NOT_FOUND')
}

/**
 * Returns the session if this person may do that on its machine. A person whose role forbids it does not learn whether
 * the session exists.
 */
export async function requireSessionFor(
  deps: SessionReader,
  actor: Actor,
  action: Action,
  sessionId: string,
): Promise<SessionRow> {
  requireCan(actor, action)
  const row = await requireSession(deps, sessionId)
  requireCan(actor, action, row)
  return row
}

/**
 * VIEW-1: everything stored comes from one state of the database. Memory is read right after that state is fixed and
 * before the page, which may take time, because memory changes with every event that is stored meanwhile.
 */
export function snapshot(deps: SessionPagesDeps, actor: Actor, sessionId: string, limit: number): Promise<Snapshot> {
  const { views, hub } = deps
  const rev = views.nextRev()
  return deps.reads.inOneRead(async (reads) => {
    const row = await requireSessionFor({ reads }, actor, 'session.read', sessionId)
    const openBlocks = views.openBlocks(sessionId)
    const session = await views.viewOf(reads, row, rev)
    const stored = await reads.events.before(sessionId, Number.MAX_SAFE_INTEGER, pageLimit(limit))
    const events = await withAuthors(reads, sessionId, stored)
    return {
      head: row.committed,
      hubEpoch: hub.hubEpoch,
      session,
      openBlocks,
      events,
      more: (events[0]?.seq ?? 1) > 1,
    }
  })
}

export function eventsPage(
  deps: Pick<SessionPagesDeps, 'hub' | 'reads'>,
  actor: Actor,
  sessionId: string,
  query: EventsQuery,
): Promise<EventsPage> {
  const { hub } = deps
  return deps.reads.inOneRead(async (reads) => {
    const { committed: head } = await requireSessionFor({ reads }, actor, 'session.read', sessionId)
    const limit = pageLimit(query.limit)
    if (query.after !== undefined) {
      const events = await withAuthors(reads, sessionId, await reads.events.after(sessionId, query.after, limit))
      return { events, head, hubEpoch: hub.hubEpoch, more: lastOf(events, query.after) < head }
    }
    const before = query.before ?? Number.MAX_SAFE_INTEGER
    const events = await withAuthors(reads, sessionId, await reads.events.before(sessionId, before, limit))
    return { events, head, hubEpoch: hub.hubEpoch, more: (events[0]?.seq ?? 1) > 1 }
  })
}

function pageLimit(maxEvents: number): EventsLimit {
  return { maxEvents, maxBytes: PAGE_BYTES }
}

function lastOf(events: readonly StoredEvent[], before: number): number {
  const last = events.at(-1)
  return last ? lastSeqOf(last) : before
}
