/** What the viewer gateway reads. What memory answers is given at once, so that whoever asks knows of which moment it is. */
import type { LiveFrame, SessionView, StoredEvent } from '@roundhouse/backend-types'
import type { Actor } from '../access/access'
import type { SessionHead } from '../ports/session-store'

/** What a page that watches gets first, of one state of the database. */
export interface Watched {
  head: number
  /** It lies so far behind that it takes a snapshot (VIEW-5), or is ahead of this hub. */
  tooFar: boolean
  events: StoredEvent[]
  view: SessionView | undefined
}

export interface EventsWanted {
  after: number
  maxEvents: number
  /** About so many, always at least one event if there is one. */
  maxBytes: number
}

export interface ViewerReads {
  hubEpoch(): string
  inboxRev(): number
  /** Of a change of these sessions: who may see it. None: there are too many to name. */
  seenBy(sessionIds: readonly string[]): Promise<(actor: Actor) => boolean>
  /** Whose session it is. Throws `FORBIDDEN`, `SESSION_NOT_FOUND` or `SESSION_DELETED`. */
  requireReader(actor: Actor, sessionId: string): Promise<{ agentId: string }>
  /** By id; without those that are not there. */
  heads(sessionIds: readonly string[]): Promise<Map<string, SessionHead>>
  /** Undefined: no such session. */
  watched(sessionId: string, wanted: EventsWanted): Promise<Watched | undefined>
  view(sessionId: string): Promise<SessionView | undefined>
  /** Beside each event who did it (VIEW-8). */
  withAuthors(sessionId: string, events: readonly StoredEvent[]): Promise<StoredEvent[]>
  /** The open blocks as frames from their beginning as far as it is kept (LOG-5). */
  openBlocks(sessionId: string): LiveFrame[]
  /** From memory, or asked of the agent when the hub's copy does not reach back to `from`. */
  block(sessionId: string, blockId: string, from: number): Promise<{ text: string; from: number; length: number }>
}
