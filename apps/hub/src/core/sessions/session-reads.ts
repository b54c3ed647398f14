/** What people read of sessions: lists, snapshots, pages of events, and the texts of their commands. */
import {
  CodedError,
  type CommandText,
  type EventsPage,
  type EventsQuery,
  type SessionsList,
  type SessionsQuery,
  type Snapshot,
} from '@roundhouse/backend-types'
import type { Actor } from '../access/access'
import { textOf } from '../views/view'
import { listSessions } from './session-list'
import { eventsPage, PAGE_EVENTS, requireSessionFor, type SessionPagesDeps, snapshot } from './session-pages'

export interface SessionReadsApi {
  list(actor: Actor, query: SessionsQuery): Promise<SessionsList>
  /** VIEW-1. `limit` is the size of the latest page; 200 by default. */
  snapshot(actor: Actor, sessionId: string, limit?: number): Promise<Snapshot>
  events(actor: Actor, sessionId: string, query: EventsQuery): Promise<EventsPage>
  /** VIEW-9: the whole text that a person wrote with a command that the page shows. */
  commandText(actor: Actor, sessionId: string, commandId: string): Promise<CommandText>
}

export function createSessionReads(deps: SessionPagesDeps): SessionReadsApi {
  return {
    list: async (actor, query) => listSessions(deps, actor, query),
    snapshot: async (actor, sessionId, limit = PAGE_EVENTS) => snapshot(deps, actor, sessionId, limit),
    events: async (actor, sessionId, query) => eventsPage(deps, actor, sessionId, query),
    commandText: async (actor, sessionId, commandId) => {
      await requireSessionFor(deps, actor, 'session.read', sessionId)
      const row = await deps.reads.commands.find(commandId)
      const text = row?.sessionId === sessionId && !row.dismissed ? textOf(row.body) : undefined
      if (text === undefined) throw new CodedError('NOT_FOUND')
      return { text }
    },
  }
}
