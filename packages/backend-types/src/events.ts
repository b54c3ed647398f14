/**
 * Session events: the facts of a session's log. One payload schema per kind; the envelope carries what the
 * delivery needs (number, hash, times) and the payload as the very text that was hashed (LOG-9).
 */
import { z } from 'zod'
import { ContextUsage, PermissionAnswer, PlanItem, Sandbox, TurnEnd } from './adapter'
import { ForeignId, Id, Millis, Seq, Sha256 } from './ids'

/**
 * A value too large for the log: its ends, its size, and where the whole lies (LOG-6). Strict, so that nothing can hide
 * beside the ends in a value that only looks like a cut one (PERM-7).
 */
export const CutValue = z.strictObject({
  cut: z.literal(true),
  head: z.string(),
  tail: z.string(),
  /** UTF-8 bytes of the whole. */
  bytes: z.number().int().min(0),
  sha256: Sha256,
  artifactId: Id.optional(),
  /** The whole was over the artifact limit: only the ends exist. */
  truncated: z.boolean().optional(),
})
export type CutValue = z.infer<typeof CutValue>

export function isCutValue(value: unknown): value is CutValue {
  return CutValue.safeParse(value).success
}

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
const nested = { parentCallId: ForeignId.optional() }

export const Author = z.object({ userId: z.string(), name: z.string() })
export type Author = z.infer<typeof Author>

/** What a grant covers: exactly this action, every call of this tool, or edits below this folder (PERM-5). */
export const GrantScope = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('exact') }),
  z.object({ kind: z.literal('tool'), toolName: z.string() }),
  z.object({ kind: z.literal('folder'), toolName: z.string(), folder: z.string() }),
])
export type GrantScope = z.infer<typeof GrantScope>

export const Grant = z.object({
  grantId: Id,
  scope: GrantScope,
  /** Shown to people: what the scope covers, in words. */
  label: z.string(),
  expiresAt: Millis,
})
export type Grant = z.infer<typeof Grant>

export const PermissionOutcome = z.enum([
  'open',
  'applied',
  'refused',
  'expired',
  'withdrawn',
  'orphaned',
  'superseded',
  'outcome_unknown',
])
export type PermissionOutcome = z.infer<typeof PermissionOutcome>

/** A permission request as everybody outside the host sees it (PERM-1, PERM-8). */
export const PermissionAsk = z.object({
  requestId: Id,
  procId: Id,
  callId: ForeignId,
  turnId: Id.optional(),
  toolName: z.string(),
  input: z.union([z.unknown(), CutValue]),
  digest: z.string(),
  cwd: z.string(),
  reason: z.string().optional(),
  askedAt: Millis,
  expiresAt: Millis.optional(),
  canEdit: z.boolean(),
  canExplainDeny: z.boolean(),
  /** The scope that "allow for session" would leave; absent where it cannot be scoped and means plain `allow`. */
  sessionScope: z.object({ scope: GrantScope, label: z.string() }).optional(),
  /** False: files that the command names were too many or too large to pin by content. */
  filesPinned: z.boolean(),
  redactedSpans: z.number().int().min(0),
})
export type PermissionAsk = z.infer<typeof PermissionAsk>

/** Why a session is where it is, in the words of the page. */
export const EndReason = z.enum(['stopped', 'deleted', 'resume_unavailable', 'agent_revoked', 'failed'])
export type EndReason = z.infer<typeof EndReason>

export const CodedReason = z.object({ code: z.string(), message: z.string() })
export type CodedReason = z.infer<typeof CodedReason>

/** What a session was made with: everything that rebuilds the hub's row (SES-2) and the next spawn (RES-7). */
export const SessionSettings = z.object({
  backend: z.string(),
  /** As asked; `session_created.realWorkDir` is what it resolved to. */
  workDir: z.string().min(1).max(4096),
  model: z.string().max(200).optional(),
  mode: z.string().max(200).optional(),
  sandbox: Sandbox.optional(),
  thinking: z.string().max(200).optional(),
  systemPrompt: z.string().max(65_536).optional(),
  roleId: z.string().max(64).optional(),
  useBrainCore: z.boolean().optional(),
  additionalDirs: z.array(z.string().max(4096)).max(32).optional(),
  allowedTools: z.array(z.string().max(200)).max(200).optional(),
  disallowedTools: z.array(z.string().max(200)).max(200).optional(),
  mcpConfigPath: z.string().max(4096).optional(),
  maxOutputTokens: z.number().int().positive().optional(),
  env: z.record(z.string(), z.string()).optional(),
  autoResume: z.boolean().optional(),
})
export type SessionSettings = z.infer<typeof SessionSettings>

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
      maxOutputTokens: true,
    }).partial(),
    author: Author.optional(),
    /** `ladder`: the max-output-token step went down by itself. */
    by: z.enum(['person', 'ladder', 'backend']),
  }),
  z.object({
    kind: z.literal('turn_started'),
    ...common,
    turnId: Id,
    /** `backend`: it started by itself, a finished background task for example. */
    trigger: z.enum(['prompt', 'backend']),
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
  }),
  z.object({
    kind: z.literal('assistant_text'),
    ...common,
    ...nested,
    text: Text,
    blockId: ForeignId.optional(),
    /** The block was cut short by a crash; this is what had been spooled (LOG-5). */
    partial: z.boolean().optional(),
  }),
  z.object({
    kind: z.literal('thinking'),
    ...common,
    ...nested,
    text: Text,
    blockId: ForeignId.optional(),
    partial: z.boolean().optional(),
  }),
  z.object({
    kind: z.literal('tool_use'),
    ...common,
    ...nested,
    callId: ForeignId,
    toolName: z.string(),
    input: z.union([z.unknown(), CutValue]),
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
    decision: PermissionAnswer.optional(),
    /** Who or what answered: a person, a standing grant, or nobody. */
    by: z.union([Author, z.object({ grantId: Id })]).optional(),
    reason: z.string().optional(),
    /** For `refused`: which check; for `superseded`: the new request. */
    refusedBy: z.enum(['digest', 'policy', 'path']).optional(),
    supersededBy: Id.optional(),
    digest: z.string(),
    effectiveDigest: z.string().optional(),
    edited: z.boolean().optional(),
    /** The grant that an `allow_session` left behind. */
    grant: Grant.optional(),
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
    usage: z
      .object({
        inputTokens: z.number().min(0).optional(),
        outputTokens: z.number().min(0).optional(),
        cachedTokens: z.number().min(0).optional(),
      })
      .optional(),
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
  z.object({ kind: z.literal('gap'), from: Seq, to: Seq, reason: z.enum(['rebase', 'pruned', 'corrupt']) }),
])
export type SessionEvent = z.infer<typeof SessionEvent>
export type SessionEventKind = SessionEvent['kind']
export type SessionEventOf<K extends SessionEventKind> = Extract<SessionEvent, { kind: K }>

export const sessionEventKinds = SessionEvent.options.map((o) => o.shape.kind.value) as SessionEventKind[]

/** Version of the payload schemas that this build writes. */
export const EVENT_VERSION = 1

/** One event on the wire and in the stores. `body` is the JSON text of a `SessionEvent`; `hash` its SHA-256 (LOG-9). */
export const EventEnvelope = z.object({
  seq: Seq,
  /** Only on a gap: the last number it stands for. */
  to: Seq.optional(),
  kind: z.string().min(1).max(64),
  v: z.number().int().min(1),
  /** Agent clock. */
  at: Millis,
  hash: Sha256,
  body: z.string().max(262_144),
})
export type EventEnvelope = z.infer<typeof EventEnvelope>

/** The last log position an event stands for. */
export function lastSeqOf(event: { seq: number; to?: number | undefined }): number {
  return event.to ?? event.seq
}

/** What the hub keeps in place of a payload that it could not read (BAD-2, BAD-3). */
export const HubOnlyEvent = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('tombstone'), code: z.string(), path: z.string(), bytes: z.number(), sha256: Sha256 }),
  z.object({ kind: z.literal('opaque'), originalKind: z.string(), v: z.number() }),
])
export type HubOnlyEvent = z.infer<typeof HubOnlyEvent>

/** An event as viewers receive it: the envelope plus the hub's own clock. A tombstone's body is a `HubOnlyEvent`. */
export const StoredEvent = EventEnvelope.extend({ storedAt: Millis })
export type StoredEvent = z.infer<typeof StoredEvent>

/** Reads a body. A body that is no known event of this version is `null`: show it as unsupported. */
export function parseEventBody(body: string): SessionEvent | HubOnlyEvent | null {
  let json: unknown
  try {
    json = JSON.parse(body)
  } catch {
    return null
  }
  const known = SessionEvent.safeParse(json)
  if (known.success) return known.data
  const hubOnly = HubOnlyEvent.safeParse(json)
  return hubOnly.success ? hubOnly.data : null
}
