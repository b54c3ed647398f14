/** A session as it is read: the snapshot, pages in both directions, the export. */

import {
  type Action,
  CodedError,
  type EventsPage,
  type EventsQuery,
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
  reads: Pick<Reads, 'commands' | 'events' | 'inOneRead' | 'requests' | 'sessions'>
  views: Views
}

export const PAGE_EVENTS = 200
const PAGE_BYTES = 4 * 1_048_576

/** Whoever looks for one session. */
interface SessionReader {
  reads: Pick<Reads, 'sessions'>
}

export function requireSession({ reads }: SessionReader, sessionId: string): SessionRow {
  const row = reads.sessions.find(sessionId)
  if (row) return row
  throw new CodedError(reads.sessions.isDeleted(sessionId) ? 'SESSION_DELETED' : 'SESSION_NOT_FOUND')
}

/** The session, if this person may do that on its machine. Whose role forbids it does not learn whether it exists. */
export function requireSessionFor(deps: SessionReader, actor: Actor, action: Action, sessionId: string): SessionRow {
  requireCan(actor, action)
  const row = requireSession(deps, sessionId)
  requireCan(actor, action, row)
  return row
}

/** VIEW-1: one read transaction for all that is stored; memory is read in the same turn. */
export function snapshot(deps: SessionPagesDeps, actor: Actor, sessionId: string, limit: number): Snapshot {
  const { reads, views, hub } = deps
  return reads.inOneRead(() => {
    const row = requireSessionFor(deps, actor, 'session.read', sessionId)
    const events = withAuthors(reads, sessionId, reads.events.before(row.pk, Number.MAX_SAFE_INTEGER, pageLimit(limit)))
    return {
      head: row.committed,
      hubEpoch: hub.hubEpoch,
      session: views.viewOf(row),
      openBlocks: views.openBlocks(sessionId),
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
): EventsPage {
  const { reads, hub } = deps
  return reads.inOneRead(() => {
    const { pk, committed: head } = requireSessionFor(deps, actor, 'session.read', sessionId)
    const limit = pageLimit(query.limit)
    if (query.after !== undefined) {
      const events = withAuthors(reads, sessionId, reads.events.after(pk, query.after, limit))
      return { events, head, hubEpoch: hub.hubEpoch, more: lastOf(events, query.after) < head }
    }
    const before = query.before ?? Number.MAX_SAFE_INTEGER
    const events = withAuthors(reads, sessionId, reads.events.before(pk, before, limit))
    return { events, head, hubEpoch: hub.hubEpoch, more: (events[0]?.seq ?? 1) > 1 }
  })
}

function pageLimit(maxEvents: number): EventsLimit {
  return { maxEvents, maxBytes: PAGE_BYTES }
}

function lastOf(events: readonly StoredEvent[], before: number): number {
  const last = events.at(-1)
  return last ? (last.to ?? last.seq) : before
}
