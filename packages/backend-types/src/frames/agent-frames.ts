/**
 * Every frame of the `/agent` socket, hub <-> agent daemon. Each end checks incoming frames and replies against these rows.
 */
import { z } from 'zod'
import { AgentManifestPayload } from '../adapter/manifest'
import { Cursor } from '../common/ids'
import {
  Attention,
  AuditHead,
  Clock,
  CommandCancel,
  CommandNews,
  EventBatch,
  Hello,
  Hold,
  ImageAsked,
  ImageChunk,
  Revoked,
  SessionsPage,
  Verdict,
  Waits,
  Welcome,
} from '../link/agent-link'
import { LiveFrame } from '../link/live-frame'
import { Command } from '../session/commands'
import { HostState } from '../session/session'
import type { EventsOf, FrameTable } from './frame'
import { Question } from './questions'

const Nothing = z.object({})
const Answered = z.object({ answer: CommandNews.shape.answer })

export const agentToHub = {
  hello: {
    summary: 'The machine’s identity, protocol versions and policy: once on each connection, after `welcome` (LINK-2)',
    frame: Hello,
    reply: z.object({ protocol: z.number().int() }),
  },
  sessions: {
    summary: 'A page of reports: the position of each log of the machine',
    frame: SessionsPage,
    reply: z.object({ verdicts: z.array(Verdict) }),
  },
  /** Errors: FENCED, SEQ_GAP{expected}, SEQ_CONFLICT{seq, committed}, ... */
  events: {
    summary: 'Events of one session; `acked` is cumulative: everything up to it is stored (ACK-1)',
    frame: EventBatch,
    reply: z.object({ acked: Cursor }),
  },
  live: { summary: 'Live text of unfinished blocks (LOG-5)', frame: z.object({ frames: z.array(LiveFrame).max(256) }) },
  state: { summary: 'A host’s own account of its session (LINK-5)', frame: HostState },
  waits: {
    summary:
      'Everything that keeps the machine from accepting work, at each change; kept with the connection, never stored',
    frame: Waits,
  },
  manifest: {
    summary: 'The backends of the machine, at each change',
    frame: z.object({ manifest: AgentManifestPayload }),
  },
  clock: { summary: 'The time of the machine’s clock, with every ping of the hub (LOG-10)', frame: Clock },
  image: { summary: 'Requests a chunk of an image of a prompt', frame: ImageAsked, reply: ImageChunk },
  command: {
    summary:
      'The result of a command that was accepted earlier: done or refused; repeated after `hello` until it is answered',
    frame: CommandNews,
    reply: Nothing,
  },
} as const satisfies FrameTable

export const hubToAgent = {
  welcome: { summary: 'The hub’s identity, and the limits of this connection', frame: Welcome },
  command: {
    summary: 'A command; `accepted` means that the machine has it on its disk (CMD-3)',
    frame: Command,
    reply: Answered,
  },
  'command.cancel': {
    summary: 'Calls back a command that was not accepted yet (CMD-4)',
    frame: CommandCancel,
    reply: Answered,
  },
  question: {
    summary: 'A question from the table below; the question’s row defines the answer',
    frame: Question,
    reply: z.object({ answer: z.unknown() }),
  },
  hold: { summary: 'The hub accepts no events for `ms`; the code says why', frame: Hold },
  attention: { summary: 'All sessions that somebody watches, at each change', frame: Attention },
  auditHead: { summary: 'The newest row of the hub’s audit log, signed, for the machine to keep', frame: AuditHead },
  verdict: {
    summary: 'A verdict outside `sessions`: the session was deleted, or its log must be rebased',
    frame: Verdict,
  },
  revoked: { summary: 'Why the hub closes the connection', frame: Revoked },
} as const satisfies FrameTable

export type AgentToHub = EventsOf<typeof agentToHub>
export type HubToAgent = EventsOf<typeof hubToAgent>
