/**
 * The socket contract `/viewer`, hub <-> browser. As in the agent's, event maps say their direction, frames are checked at the
 * receiving edge, and an event's argument is one object. A module of its own: a page does not load what only agents say.
 */
import { z } from 'zod'
import type { Reply } from '../common/errors'
import { Cursor, Id } from '../common/ids'
import type { StoredEvent } from '../session/event-envelope'
import type { SessionView } from '../session/session'
import type { LiveFrame } from './agent-link'
import type { DiskTrouble } from './disk-trouble'

export const Watch = z.object({ sessionId: Id, afterSeq: Cursor, hubEpoch: z.string().max(64) })
export type Watch = z.infer<typeof Watch>

export const WatchInbox = z.object({ rev: z.number().int().min(0).optional() })
export type WatchInbox = z.infer<typeof WatchInbox>

/** Something in a person's inbox, or in their lists of sessions, is newer than what they fetched before this `rev` (VIEW-7). */
export interface InboxChange {
  rev: number
}

export interface ViewerToHub {
  /** Joins the session's room, then catches up from `afterSeq` by `events` frames. Errors: TOO_FAR, NOT_FOUND, FORBIDDEN. */
  watch(watch: Watch, reply: (r: Reply<{ head: number; hubEpoch: string; tooFar: boolean }>) => void): void
  unwatch(unwatch: { sessionId: string }, reply: (r: Reply) => void): void
  'watch.inbox'(watch: WatchInbox, reply: (r: Reply<{ rev: number }>) => void): void
  /** The text of an open block from `from` on (LOG-5). */
  'block.get'(
    ask: { sessionId: string; blockId: string; from: number },
    reply: (r: Reply<{ text: string; from: number; length: number }>) => void,
  ): void
}

export interface HubToViewer {
  events(batch: { sessionId: string; events: StoredEvent[] }): void
  live(frames: { sessionId: string; frames: LiveFrame[] }): void
  session(view: SessionView): void
  heads(heads: { heads: Record<string, number> }): void
  lagged(lagged: { sessionId: string; head: number }): void
  inbox(change: InboxChange): void
  agents(change: { agentId: string }): void
  /** When the socket opens, and at every change: whether the hub can write. */
  storage(storage: { state: 'ok' | DiskTrouble | 'locked' | 'moved'; since: number | null }): void
}
