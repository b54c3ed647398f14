/** What the viewer gateway reads: synchronous, from the read connection and from memory, so that join and read are one step. */
import type { LiveFrame, SessionView, StoredEvent } from '@roundhouse/backend-types'
import type { Actor } from '../access/access'

export interface ViewerReads {
  hubEpoch(): string
  inboxRev(): number
  /** Whether a change of these sessions may be seen by this person. None: there are too many to name. */
  isForPerson(actor: Actor, sessionIds: readonly string[]): boolean
  /** Throws `FORBIDDEN`, `SESSION_NOT_FOUND` or `SESSION_DELETED`. */
  requireReader(actor: Actor, sessionId: string): void
  /** Undefined: no such session. */
  head(sessionId: string): number | undefined
  view(sessionId: string): SessionView | undefined
  /** Events after `after`, at most `maxEvents` and about `maxBytes`, always at least one if there is one. */
  eventsAfter(sessionId: string, after: number, maxEvents: number, maxBytes: number): StoredEvent[]
  /** True when more than 5,000 events or 5 MiB lie after `after` (VIEW-5). */
  isTooFar(sessionId: string, after: number): boolean
  /** The open blocks as frames from their beginning as far as it is kept (LOG-5). */
  openBlocks(sessionId: string): LiveFrame[]
  /** From memory, or asked of the agent when the hub's copy does not reach back to `from`. */
  block(sessionId: string, blockId: string, from: number): Promise<{ text: string; from: number; length: number }>
}
