/** Every frame of the `/agent` socket, hub <-> agent daemon. Each end checks what it gets, also replies, against these rows. */
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
    summary: 'Who the machine is, what it speaks and what it allows: once on each connection, after `welcome` (LINK-2)',
    frame: Hello,
    reply: z.object({ protocol: z.number().int() }),
  },
  sessions: {
    summary: 'A page of reports: where each log of the machine stands',
    frame: SessionsPage,
    reply: z.object({ verdicts: z.array(Verdict) }),
  },
  /** Errors: FENCED, SEQ_GAP{expected}, SEQ_CONFLICT{seq, committed}, ... */
  events: {
    summary: 'Events of one session; `acked` is cumulative: everything up to it is stored (ACK-1)',
    frame: EventBatch,
    reply: z.object({ acked: Cursor }),
  },
  live: { summary: 'Text that is being written (LOG-5)', frame: z.object({ frames: z.array(LiveFrame).max(256) }) },
  state: { summary: 'A host’s own account of its session (LINK-5)', frame: HostState },
  waits: {
    summary:
      'What keeps the machine from taking work now: all of it, at each change; kept with the connection, never stored',
    frame: Waits,
  },
  manifest: {
    summary: 'The backends of the machine, at each change',
    frame: z.object({ manifest: AgentManifestPayload }),
  },
  clock: { summary: 'What the machine’s clock says, with every ping of the hub (LOG-10)', frame: Clock },
  image: { summary: 'Asks for a chunk of an image that a prompt brings', frame: ImageAsked, reply: ImageChunk },
  command: {
    summary:
      'News about a command that was accepted earlier: it was done or refused; repeated after `hello` until it is answered',
    frame: CommandNews,
    reply: Nothing,
  },
} as const satisfies FrameTable

export const hubToAgent = {
  welcome: { summary: 'Who the hub is, and the limits of this connection', frame: Welcome },
  command: {
    summary: 'Something to do; `accepted` means that the machine has it on its disk (CMD-3)',
    frame: Command,
    reply: Answered,
  },
  'command.cancel': {
    summary: 'Asks for a command back that was not accepted yet (CMD-4)',
    frame: CommandCancel,
    reply: Answered,
  },
  question: {
    summary: 'A question of the table below; its answer is as the question’s row says',
    frame: Question,
    reply: z.object({ answer: z.unknown() }),
  },
  hold: { summary: 'The hub takes no events for `ms`; the code says why', frame: Hold },
  attention: { summary: 'Sessions that somebody looks at: all of them, at each change', frame: Attention },
  auditHead: { summary: 'The newest row of the hub’s audit log, signed, for the machine to keep', frame: AuditHead },
  verdict: {
    summary: 'A verdict outside `sessions`: the session was deleted, or its log must be rebased',
    frame: Verdict,
  },
  revoked: { summary: 'Why the hub closes the connection', frame: Revoked },
} as const satisfies FrameTable

export type AgentToHub = EventsOf<typeof agentToHub>
export type HubToAgent = EventsOf<typeof hubToAgent>
