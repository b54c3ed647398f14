/** Every frame of the `/viewer` socket, hub <-> browser. Apart from the agents' table: a page does not load what only agents say. */
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
    summary: 'Joins a session, then catches up after `afterSeq` by `events`, unless that is `tooFar` (VIEW-1)',
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
    summary: 'Text that is being written in a watched session',
    frame: z.object({ sessionId: Id, frames: z.array(LiveFrame) }),
  },
  session: { summary: 'What a watched session looks like now', frame: SessionView },
  heads: {
    summary: 'How far the logs of the watched sessions are (VIEW-3)',
    frame: z.object({ heads: z.record(z.string(), Cursor) }),
  },
  lagged: {
    summary: 'The viewer is too slow: it left the session and reads over HTTP (VIEW-4)',
    frame: z.object({ sessionId: Id, head: Cursor }),
  },
  inbox: { summary: 'The inbox or a list of sessions is newer than `rev` (VIEW-7)', frame: InboxChange },
  agents: { summary: 'A machine came, went or changed', frame: z.object({ agentId: Id }) },
  storage: { summary: 'Whether the hub can write: when the socket opens, and at each change', frame: Storage },
} as const satisfies FrameTable

export type ViewerToHub = EventsOf<typeof viewerToHub>
export type HubToViewer = EventsOf<typeof hubToViewer>
