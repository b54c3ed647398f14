/**
 * A session from outside: its level-triggered state from the host (`HostState`, LINK-5) and the merged view that people get
 * (`SessionView`).
 */
import { z } from 'zod'
import { ContextUsage } from '../adapter/adapter'
import { BackgroundTask } from '../adapter/background'
import { PromptImages } from '../adapter/images'
import { Decision } from '../adapter/permission-request'
import { Cursor, ForeignId, Id, Millis } from '../common/ids'
import { CommandState } from './commands'
import { CodedReason, EndReason } from './events'
import { Grant, PermissionAsk, PermissionOutcome } from './permission'
import { OnPermission, SessionSettings } from './session-settings'
import { TreePlace } from './tree'

/** Why a session is not running but can continue. Nothing reports `agent_restarted`; it stays readable for other versions. */
export const ResumableReason = z.enum([
  'idle',
  'process_exited',
  'host_died',
  'start_failed',
  'agent_restarted',
  'ended_by_person',
])
export type ResumableReason = z.infer<typeof ResumableReason>

/**
 * RES-3: it resumes by itself, at that time of the machine's clock or once it has a place. An older agent does not report
 * this.
 */
const ResumesByItself = z.object({ attempt: z.number().int().min(1), at: Millis })

export const SessionStatus = z.discriminatedUnion('status', [
  z.object({ status: z.literal('waiting_for_agent') }),
  /** RES-2: what a start waits for beside the program, in sentences. An older agent does not report this. */
  z.object({ status: z.literal('starting'), waitsFor: z.string().max(500).optional() }),
  z.object({ status: z.literal('idle') }),
  z.object({ status: z.literal('running') }),
  z.object({ status: z.literal('needs_you') }),
  /** Nothing reports `policy`; it stays readable for other versions. */
  z.object({ status: z.literal('paused'), why: z.enum(['disk', 'backlog', 'policy']) }),
  z.object({
    status: z.literal('resumable'),
    why: ResumableReason,
    error: CodedReason.optional(),
    resumes: ResumesByItself.optional(),
  }),
  z.object({ status: z.literal('ended'), why: EndReason, error: CodedReason.optional() }),
])
export type SessionStatus = z.infer<typeof SessionStatus>

/** A prompt that was accepted and waits its turn. `rev` is what queue commands compare and set. */
export const QueueEntry = z.object({
  promptId: Id,
  rev: z.number().int().min(0),
  text: z.string(),
  /** `text` is its beginning only: the whole, too large for an account, is where it waits. */
  cut: z.literal(true).optional(),
  commandId: Id,
  authorName: z.string().optional(),
  images: PromptImages.optional(),
})
export type QueueEntry = z.infer<typeof QueueEntry>

/** For want of a free place on the machine: programs that run there, and as many as may. */
const PlacesTaken = z.object({ running: z.number().int().min(0), limit: z.number().int().min(0) })

/** As a page shows it: `waits` where it would be next, and has no place yet. */
export const QueuedPrompt = QueueEntry.extend({ waits: PlacesTaken.optional() })
export type QueuedPrompt = z.infer<typeof QueuedPrompt>

/** A block that is being written. `text` is what is known of it; `offset` its distance from the block's beginning. */
export const OpenBlock = z.object({
  blockId: ForeignId,
  procId: Id,
  kind: z.enum(['assistant_text', 'thinking', 'tool_progress']),
  turnId: Id.optional(),
  parentCallId: ForeignId.optional(),
  /** For `tool_progress`. */
  callId: ForeignId.optional(),
  /** The log head when the block began. */
  afterSeq: Cursor,
  /** Length in UTF-16 units of the whole block so far. */
  length: z.number().int().min(0),
})
export type OpenBlock = z.infer<typeof OpenBlock>

/** Runs beside the turns, since then. */
export const RunningTask = BackgroundTask.extend({ startedAt: Millis })
export type RunningTask = z.infer<typeof RunningTask>

/** The host's own account of its session. The newest `(leaseToken, rev)` wins; stored events win over it (LINK-5). */
export const HostState = z.object({
  sessionId: Id,
  leaseToken: z.number().int().min(0),
  rev: z.number().int().min(0),
  /** The log head when it was taken. */
  atSeq: Cursor,
  status: SessionStatus,
  turnId: Id.optional(),
  queue: z.array(QueueEntry).max(200),
  queueHeld: z.boolean(),
  requests: z.array(PermissionAsk).max(200),
  /** All that are open, where not all are listed. An older agent does not say. */
  openRequests: z.number().int().min(0).optional(),
  openBlocks: z.array(OpenBlock).max(64),
  /** Absent where nothing runs beside the turns. */
  background: z.array(RunningTask).max(64).optional(),
})
export type HostState = z.infer<typeof HostState>

/** A permission request as people see it: the ask, the decision register and the outcome register (PERM-1). */
export const RequestView = z.object({
  sessionId: Id,
  ask: PermissionAsk,
  decision: z
    .object({
      answer: Decision,
      userId: z.string(),
      userName: z.string(),
      at: Millis,
      device: z.string().optional(),
      reason: z.string().optional(),
      commandState: CommandState,
    })
    .nullable(),
  outcome: PermissionOutcome,
  resolvedSeq: Cursor.optional(),
})
export type RequestView = z.infer<typeof RequestView>

/** A command that a page still has to show (queued, sent, accepted; or failed and not yet dismissed). */
export const CommandView = z.object({
  commandId: Id,
  kind: z.string(),
  state: CommandState,
  createdAt: Millis,
  authorName: z.string(),
  /** For prompts: what the person wrote, so that it is never thrown away. */
  promptId: Id.optional(),
  text: z.string().optional(),
  /** UTF-16 units of the whole, where `text` is its beginning only; `GET /sessions/:id/commands/:commandId` has all of it. */
  textLength: z.number().int().optional(),
  images: PromptImages.optional(),
  error: CodedReason.optional(),
  /** The machine has it and waits for a free place among its running programs. */
  waits: PlacesTaken.optional(),
})
export type CommandView = z.infer<typeof CommandView>

/** `backend` and `workDir` are empty where nobody knows them: the session's beginning is lost (REB-2). */
export const ShownSettings = SessionSettings.extend({ workDir: z.string().max(4096) })

/** The hub's merged account of a session, sent level-triggered: the newest `rev` wins (SES-5). */
export const SessionView = z.object({
  sessionId: Id,
  rev: z.number().int().min(0),
  agentId: Id,
  agentName: z.string(),
  agentOnline: z.boolean(),
  /** Set while the agent is away: since when. Lies over `status`. */
  unreachableSince: Millis.optional(),
  title: z.string(),
  archived: z.boolean(),
  settings: ShownSettings,
  realWorkDir: z.string().optional(),
  backendSessionId: z.string().optional(),
  status: SessionStatus,
  turnId: Id.optional(),
  /** It resumes by itself (RES-3), and waits for a free place. */
  resumeWaits: PlacesTaken.optional(),
  head: Cursor,
  queue: z.array(QueuedPrompt),
  queueHeld: z.boolean(),
  requests: z.array(RequestView),
  /** Open on the machine beside these, which have no place here until some are answered. */
  moreRequests: z.number().int().min(1).optional(),
  grants: z.array(Grant),
  commands: z.array(CommandView),
  cost: z.number(),
  contextUsage: ContextUsage.optional(),
  lastLine: z.string(),
  /** What runs beside the turns, by the hub's clock; absent where nothing does. */
  background: z.array(RunningTask).optional(),
  createdAt: Millis,
  updatedAt: Millis,
  /** The stream of this session is blocked after malformed frames (BAD-1). */
  blocked: z.boolean().optional(),
  /** Part of what the hub has stored of it cannot be read. */
  damaged: z.boolean().optional(),
  /** The last turn failed, and none has begun since. */
  turnFailed: z.boolean().optional(),
  /** It is a run (RUN-1). */
  run: z.object({ onPermission: OnPermission }).optional(),
  ...TreePlace.shape,
})
export type SessionView = z.infer<typeof SessionView>

/** A row of the session list and the inbox. */
export const SessionSummary = SessionView.pick({
  sessionId: true,
  rev: true,
  agentId: true,
  agentName: true,
  agentOnline: true,
  unreachableSince: true,
  title: true,
  archived: true,
  status: true,
  head: true,
  cost: true,
  contextUsage: true,
  lastLine: true,
  turnFailed: true,
  run: true,
  createdAt: true,
  updatedAt: true,
  parentId: true,
  rootId: true,
  spawning: true,
  treeStopped: true,
}).extend({
  backend: z.string(),
  workDir: z.string(),
  pendingRequests: z.number().int().min(0),
  backgroundTasks: z.number().int().min(0).optional(),
})
export type SessionSummary = z.infer<typeof SessionSummary>
