/** The reads of the viewer gateway. Reads from memory return at once, so the caller knows their moment. */
import type { LiveFrame, SessionView, StoredEvent } from '@roundhouse/backend-types'
import type { Actor } from '../access/access'
import type { DoorbellMap } from '../doorbells/doorbells'
import type { SessionHead } from '../ports/session-store'

/** What a watching page gets first, from one state of the database. */
export interface Watched {
  head: number
  /** The page is so far behind that it takes a snapshot (VIEW-5), or is ahead of this hub. */
  tooFar: boolean
  events: StoredEvent[]
  view: SessionView | undefined
}

export interface EventsWanted {
  after: number
  maxEvents: number
  /** Approximate; at least one event if there is one. */
  maxBytes: number
}

export interface ViewerReads {
  hubEpoch(): string
  inboxRev(): number
  /** Who may see this step of the inbox. */
  seenBy(step: Pick<DoorbellMap['inbox'], 'sessionIds' | 'of'>): Promise<(actor: Actor) => boolean>
  /** The agent of the session. Throws `FORBIDDEN`, `SESSION_NOT_FOUND` or `SESSION_DELETED`. */
  requireReader(actor: Actor, sessionId: string): Promise<{ agentId: string }>
  /** By id, without sessions that do not exist. */
  heads(sessionIds: readonly string[]): Promise<Map<string, SessionHead>>
  /** Undefined: no such session. */
  watched(sessionId: string, wanted: EventsWanted): Promise<Watched | undefined>
  view(sessionId: string): Promise<SessionView | undefined>
  /** Adds to each event who did it (VIEW-8). */
  withAuthors(sessionId: string, events: readonly StoredEvent[]): Promise<StoredEvent[]>
  /** The open blocks as frames, from the earliest text that is kept (LOG-5). */
  openBlocks(sessionId: string): LiveFrame[]
  /** From memory, or from the agent if the hub's copy does not reach back to `from`. */
  block(sessionId: string, blockId: string, from: number): Promise<{ text: string; from: number; length: number }>
}
