/**
 * What a viewer of one session knows, hears, and asks for. Data only: `viewer-sync.ts` has the table, and whoever runs it does the I/O.
 *
 * Questions have numbers. The answer to a question that is not the current one any more is dropped, so nothing that was
 * asked before a reset or a new connection can reach the page.
 */
import type { CodedError, LiveFrame, SessionEvent, SessionView, Snapshot, StoredEvent } from '@roundhouse/backend-types'
import type { applyFrame, LiveBlocks } from '../events/live-blocks'
import type { receiveEvents, receiveHead, ViewCursor } from './receive-events'

/** What a page shows. */
export interface ViewerPage {
  /** The number of the question for its snapshot. */
  readonly opened: number
  readonly cursor: ViewCursor
  /** How far the log is known to go. */
  readonly head: number
  readonly viewRev: number
  readonly blocks: LiveBlocks
}

interface Common {
  /** Whether the socket is open. */
  readonly connected: boolean
  /** How many questions were asked so far. */
  readonly asks: number
  /** The question or pause that the phase waits for: a snapshot or `watch`. */
  readonly asked: number
  /** The question or pause of the missing range, beside that. */
  readonly filling: number | null
  /** How often, one behind the other, the session was not there. */
  readonly lostTries: number
}

interface Opening extends Common {
  readonly phase: 'opening'
  readonly page: null
}

export interface Shown extends Common {
  readonly phase: 'away' | 'joining' | 'watching' | 'reopening' | 'lost'
  readonly page: ViewerPage
}

interface Over extends Common {
  readonly phase: 'refused' | 'closed'
  readonly page: ViewerPage | null
}

export type ViewerSync = Opening | Shown | Over
export type ViewerPhase = ViewerSync['phase']

export type ViewerEvent =
  | { kind: 'connected' }
  | { kind: 'disconnected' }
  | { kind: 'snapshotCame'; ask: number; snapshot: Snapshot }
  | { kind: 'snapshotFailed'; ask: number; error: CodedError }
  | { kind: 'watchAnswered'; ask: number; reply: { head: number; hubEpoch: string; tooFar: boolean } }
  | { kind: 'watchFailed'; ask: number; error: CodedError }
  | { kind: 'rangeFetched'; ask: number; page: { hubEpoch: string; head: number; events: StoredEvent[] } }
  | { kind: 'rangeFailed'; ask: number; error: CodedError }
  | { kind: 'eventsCame'; events: StoredEvent[] }
  /** Repeated, or said to a viewer that is too slow (VIEW-3, VIEW-4). */
  | { kind: 'headCame'; head: number }
  | { kind: 'viewCame'; view: SessionView }
  | { kind: 'framesCame'; frames: LiveFrame[] }
  | { kind: 'blockCame'; opened: number; block: { blockId: string; from: number; text: string } }
  | { kind: 'blockFailed'; opened: number; blockId: string }
  /** The pause after a failed question for a block is over. */
  | { kind: 'blockDue'; opened: number; blockId: string }
  /** The pause with this number is over. */
  | { kind: 'due'; ask: number }
  | { kind: 'closed' }

export type ViewerEffect =
  | { do: 'fetchSnapshot'; ask: number }
  | { do: 'watch'; ask: number; afterSeq: number; hubEpoch: string }
  | { do: 'fetchRange'; ask: number; after: number; limit: number }
  | { do: 'askBlock'; opened: number; blockId: string; from: number }
  | { do: 'unwatch' }
  /** After so long, this event. */
  | { do: 'wait'; ms: number; next: ViewerEvent }
  /** Starts over from this snapshot. */
  | { do: 'reset'; snapshot: Snapshot }
  /** Dense after the last ones. */
  | { do: 'deliver'; events: readonly StoredEvent[] }
  | { do: 'showView'; view: SessionView }
  | { do: 'showBlocks'; blocks: LiveBlocks }
  | { do: 'showProgress'; at: number; head: number }
  | { do: 'refuse'; error: CodedError }

export interface ViewerStep {
  readonly sync: ViewerSync
  readonly effects: readonly ViewerEffect[]
}

/** What a step is made of. The simulator breaks these one at a time. */
export interface ViewerRules {
  readonly receiveEvents: typeof receiveEvents
  readonly receiveHead: typeof receiveHead
  readonly applyFrame: typeof applyFrame
  /** The body of an event; null for what this build does not know. */
  readonly eventOf: (stored: StoredEvent) => SessionEvent | null
}
