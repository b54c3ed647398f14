/**
 * Every frame of the `/viewer` socket, hub <-> browser. Separate from the agents' table, so that a page does not load the
 * agents' frames.
 */
import { z } from 'zod'
import { Cursor, Id } from '../common/ids'
import { LiveFrame } from '../link/live-frame'
import { BlockGet, InboxChange, OfSession, Storage, Watch, WatchInbox } from '../link/viewer-link'
import { StoredEvent } from '../session/event-envelope'
import { SessionView } from '../session/session'
import type { EventsOf, FrameTable } from './frame'

export const viewerToHub = {
  /** Errors: NOT_FOUND, FORBIDDEN, RATE_LIMITED. */
  watch: {
    summary:
      'Joins a session and catches up after `afterSeq` with `events`, unless the viewer is `tooFar` behind (VIEW-1)',
    frame: Watch,
    reply: z.object({ head: Cursor, hubEpoch: z.string(), tooFar: z.boolean() }),
  },
  unwatch: { summary: 'Leaves a session', frame: OfSession, reply: z.object({}) },
  'watch.inbox': {
    summary: 'Joins the person’s inbox (VIEW-7)',
    frame: WatchInbox,
    reply: z.object({ rev: z.number().int() }),
  },
  'block.get': {
    summary: 'The text of an open block from `from` on (LOG-5)',
    frame: BlockGet,
    reply: z.object({ text: z.string(), from: z.number().int().min(0), length: z.number().int().min(0) }),
  },
} as const satisfies FrameTable

export const hubToViewer = {
  events: {
    summary: 'Stored events of a watched session',
    frame: z.object({ sessionId: Id, events: z.array(StoredEvent) }),
  },
  live: {
    summary: 'Live text of a watched session',
    frame: z.object({ sessionId: Id, frames: z.array(LiveFrame) }),
  },
  session: { summary: 'The current view of a watched session', frame: SessionView },
  heads: {
    summary: 'The heads of the watched sessions’ logs (VIEW-3)',
    frame: z.object({ heads: z.record(z.string(), Cursor) }),
  },
  lagged: {
    summary: 'The viewer is too slow: it left the session and reads over HTTP (VIEW-4)',
    frame: z.object({ sessionId: Id, head: Cursor }),
  },
  inbox: { summary: 'The inbox or a list of sessions is newer than `rev` (VIEW-7)', frame: InboxChange },
  agents: { summary: 'A machine came, went or changed', frame: z.object({ agentId: Id }) },
  peers: { summary: 'A peer of the bus came, went, moved on or waits for an answer (BUS-12)', frame: z.object({}) },
  storage: { summary: 'Whether the hub can write: when the socket opens, and at each change', frame: Storage },
} as const satisfies FrameTable

export type ViewerToHub = EventsOf<typeof viewerToHub>
export type HubToViewer = EventsOf<typeof hubToViewer>
