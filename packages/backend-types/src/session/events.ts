/** Session events: the facts of a session's log, one payload schema per kind. The envelope is in `event-envelope.ts`. */
import { z } from 'zod'
import { ContextUsage, TurnEnd, TurnFigures } from '../adapter/adapter'
import { IMAGES_PER_PROMPT, LoggedImage } from '../adapter/images'
import { answered, PlanItem } from '../adapter/output'
import { Decision } from '../adapter/permission-request'
import { BusData, BusSchemaName, Topic } from '../bus/message'
import { ForeignId, Id, Millis, Seq } from '../common/ids'
import { CutValue } from './cut-value'
import { FolderRule } from './folder-rule'
import { AllowingGrant, Grant, PermissionAsk, PermissionOutcome } from './permission'
import { SessionSettings } from './session-settings'
import { shownTool } from './shown-tool'

const Text = z.union([z.string(), CutValue])

/** On every payload: what it belongs to and what was done to it on the way. */
const common = {
  /** The command that caused it (CMD-2). */
  commandId: Id.optional(),
  turnId: Id.optional(),
  /** The spawn of the backend that it came from. */
  procId: Id.optional(),
  /** Bytes that were no text were replaced. */
  lossy: z.boolean().optional(),
  /** How many secrets were taken out. */
  redacted: z.number().int().positive().optional(),
  /** Read afterwards from the backend's own transcript (RES-6). */
  recovered: z.boolean().optional(),
}
/** For a sub-agent: the call that it works for. */
const nested = { parentCallId: ForeignId.optional() }
/** One finished stretch of what the model writes. */
const block = {
  text: Text,
  blockId: ForeignId.optional(),
  /** The block was cut short, by a crash or a steer, for example; this is what had been written (LOG-5). */
  partial: z.boolean().optional(),
}

export const Author = z.object({ userId: z.string(), name: z.string() })
export type Author = z.infer<typeof Author>

/** Why a session ended for good. Nothing reports `deleted` and `resume_unavailable`; they stay readable for other versions. */
export const EndReason = z.enum(['stopped', 'deleted', 'resume_unavailable', 'agent_revoked', 'failed'])
export type EndReason = z.infer<typeof EndReason>

/** What a person can change while a session lives, and a program can refuse. */
export const ConfigurableSetting = z.enum(['model', 'mode', 'sandbox', 'thinking'])
export type ConfigurableSetting = z.infer<typeof ConfigurableSetting>

/** An error as a fact: its code, where the house has one, and a sentence. */
export const CodedReason = z.object({
  code: z.string(),
  message: z.string(),
  /** The setting that was refused, by its name in `SessionSettings`. */
  field: z.string().max(64).optional(),
  /** For a limit that resets by itself: when, in milliseconds. */
  resetsAt: Millis.optional(),
})
export type CodedReason = z.infer<typeof CodedReason>

export const SessionEvent = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('session_created'),
    ...common,
    logId: Id,
    settings: SessionSettings,
    realWorkDir: z.string(),
    title: z.string().optional(),
    author: Author.optional(),
    continuedFrom: Id.optional(),
  }),
  z.object({
    kind: z.literal('session_started'),
    ...common,
    backendSessionId: ForeignId,
    resumed: z.boolean(),
    provisional: z.boolean().optional(),
    /** Nothing writes it; it stays readable for other versions. */
    backendVersion: z.string().optional(),
  }),
  z.object({
    kind: z.literal('session_configured'),
    ...common,
    changes: SessionSettings.pick({
      model: true,
      mode: true,
      sandbox: true,
      thinking: true,
      maxThinkingTokens: true,
      maxOutputTokens: true,
    }).partial(),
    author: Author.optional(),
    /** These have no value any more: the program's own default holds. */
    unset: z.array(ConfigurableSetting).optional(),
    /** Why the session went back to these values: the program refused the newer ones (CAP-4). */
    error: CodedReason.optional(),
    /** `ladder`: the max-output-token step went down by itself. */
    by: z.enum(['person', 'ladder', 'backend']),
  }),
  z.object({
    kind: z.literal('turn_started'),
    ...common,
    turnId: Id,
    /** `backend`: it started by itself, a finished background task for example. */
    trigger: z.enum(['prompt', 'backend']),
    /** Made in the same conversation by another program, a terminal for example, and read afterwards (RES-9). */
    elsewhere: z.boolean().optional(),
    promptId: Id.optional(),
    override: z.object({ model: z.string().optional(), mode: z.string().optional() }).optional(),
  }),
  z.object({
    kind: z.literal('user_message'),
    ...common,
    promptId: Id,
    text: Text,
    author: Author.optional(),
    /** Given into the running turn. */
    steer: z.boolean().optional(),
    images: z.array(LoggedImage).min(1).max(IMAGES_PER_PROMPT).optional(),
  }),
  z.object({ kind: z.literal('assistant_text'), ...common, ...nested, ...block }),
  z.object({ kind: z.literal('thinking'), ...common, ...nested, ...block }),
  z.object({
    kind: z.literal('tool_use'),
    ...common,
    ...nested,
    callId: ForeignId,
    toolName: z.string(),
    input: z.union([z.unknown(), CutValue]),
    ...shownTool,
  }),
  z.object({
    kind: z.literal('tool_result'),
    ...common,
    ...nested,
    callId: ForeignId,
    output: z.union([z.unknown(), CutValue]),
    isError: z.boolean().optional(),
    /** The call never reported: the process ended first. Written by the host, so no card stays open. */
    interrupted: z.boolean().optional(),
    ...answered,
  }),
  z.object({ kind: z.literal('plan'), ...common, ...nested, items: z.array(PlanItem) }),
  z.object({ kind: z.literal('system'), ...common, subtype: z.string(), data: z.union([z.unknown(), CutValue]) }),
  z.object({ kind: z.literal('permission_requested'), ...common, ask: PermissionAsk }),
  z.object({
    kind: z.literal('permission_resolved'),
    ...common,
    requestId: Id,
    callId: ForeignId,
    outcome: PermissionOutcome.exclude(['open']),
    decision: Decision.optional(),
    /** Who or what decided: a person, a standing grant, or nobody. */
    by: z.union([Author, AllowingGrant]).optional(),
    reason: z.string().optional(),
    /** For `refused`: which check; for `superseded`: the new request. */
    refusedBy: z.enum(['digest', 'policy', 'path']).optional(),
    /** The rule of the machine's policy, where one refused it. */
    rule: z.string().max(64).optional(),
    /** The pattern or the default of the session's rules that refused it (PERM-12). */
    pattern: z.string().max(200).optional(),
    supersededBy: Id.optional(),
    digest: z.string(),
    /** The input that ran, if it is not the requested one, redacted (PERM-2). */
    effectiveInput: z.union([z.unknown(), CutValue]).optional(),
    effectiveDigest: z.string().optional(),
    /** Files that the command writes to and prints, which had changed since it was asked: it is the same action still. */
    changedFiles: z.array(z.string().max(4096)).max(16).optional(),
    /** A person changed the input. */
    edited: z.boolean().optional(),
    /** A person answered a question or a form. */
    answered: z.boolean().optional(),
    /** A person made the session continue in this mode. */
    mode: z.string().optional(),
    /** The grant that an `allow_session` left behind. */
    grant: Grant.optional(),
    /** The rule of the folder that it left instead (PERM-13). */
    folderRule: FolderRule.optional(),
    /** `allow_session` could not be scoped and counted as `allow`. */
    degraded: z.boolean().optional(),
    /** A deny reason that this backend cannot take. */
    reasonUndelivered: z.boolean().optional(),
  }),
  z.object({
    kind: z.literal('grant_ended'),
    ...common,
    grantId: Id,
    why: z.enum(['revoked', 'expired', 'crash', 'policy', 'session_ended']),
    author: Author.optional(),
  }),
  z.object({
    kind: z.literal('token_budget_warning'),
    ...common,
    used: z.number(),
    hardLimit: z.number(),
    threshold: z.number(),
    distanceToHard: z.number(),
    maxOutputTokens: z.number(),
  }),
  z.object({
    kind: z.literal('turn_completed'),
    ...common,
    turnId: Id,
    reason: TurnEnd,
    error: CodedReason.optional(),
    /** Milliseconds. */
    duration: z.number().min(0).optional(),
    /** US dollars. */
    cost: z.number().min(0).optional(),
    contextUsage: ContextUsage.optional(),
    ...TurnFigures.shape,
    /** What the program said of its turn in its own words. Nobody branches on it. */
    backendMeta: z.record(z.string(), z.unknown()).optional(),
    /** Members of it that were too large are not here. */
    backendMetaCut: z.literal(true).optional(),
  }),
  z.object({
    kind: z.literal('process_exited'),
    ...common,
    procId: Id,
    code: z.number().int().nullable(),
    signal: z.string().nullable(),
    /** The last 4 KiB, redacted. */
    stderrTail: z.string(),
    /** `host_died`: the session host died first, and its guard ended the backend. */
    cause: z.enum(['crashed', 'killed', 'host_died', 'start_failed']),
    error: CodedReason.optional(),
  }),
  z.object({
    kind: z.literal('session_ended'),
    ...common,
    why: EndReason,
    error: CodedReason.optional(),
    author: Author.optional(),
  }),
  /** What the program said on the bus. The hub adds the rest of the envelope (BUS-2). */
  z.object({
    kind: z.literal('published'),
    ...common,
    /** The message's own id: the hub delivers it once. */
    id: Id,
    correlationId: Id.optional(),
    topic: Topic,
    schema: BusSchemaName,
    data: BusData,
    /** Of a phase: an orchestrator wants the program there, whatever the table says (`set_phase`). */
    forced: z.literal(true).optional(),
  }),
  /** What the program asks of the hub about its tree of sessions. The answer is a command, `tool.answer` (TREE-2). */
  z.object({
    kind: z.literal('session_request'),
    ...common,
    requestId: Id,
    verb: z.string().min(1).max(32),
    input: z.record(z.string(), z.unknown()),
  }),
  z.object({ kind: z.literal('gap'), from: Seq, to: Seq, reason: z.enum(['rebase', 'pruned', 'corrupt']) }),
])
export type SessionEvent = z.infer<typeof SessionEvent>
export type SessionEventKind = SessionEvent['kind']
export type SessionEventOf<K extends SessionEventKind> = Extract<SessionEvent, { kind: K }>

export const sessionEventKinds = SessionEvent.options.map((o) => o.shape.kind.value) as SessionEventKind[]
