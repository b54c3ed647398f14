/**
 * The shapes of the frames on the socket `/agent`; `frames/agent-frames.ts` has the frames. Every acknowledgement is a
 * `Reply`. A frame is always one object, never a bare string.
 */
import { z } from 'zod'
import { IMAGE_LIMIT_BYTES } from '../adapter/images'
import { AgentManifestPayload } from '../adapter/manifest'
import type { ErrorBody } from '../common/errors'
import { Cursor, Id, Millis } from '../common/ids'
import { EventEnvelope } from '../session/event-envelope'
import { SoFar } from '../session/so-far'
import { DiskTrouble } from './disk-trouble'

/** Versions of the agent protocol that this build speaks, oldest first (VER-1). */
export const PROTOCOL_VERSIONS = [1] as const

/** Sizes that both ends know before they talk; `welcome.limits` may only lower them. */
export const linkLimits = {
  /** Bytes of one socket frame. */
  frameBytes: 1_000_000,
  batchEvents: 64,
  batchBytes: 262_144,
  /** Credit window per agent connection (FLOW-1). */
  windowEvents: 1_024,
  windowBytes: 4_194_304,
  sessionsPerPage: 200,
} as const

/** Of one connection. */
export type LinkLimits = Welcome['limits']

const Limit = z.number().int().positive()

export const Welcome = z.object({
  hubId: z.string(),
  /** Changes when the hub's data was restored from a backup (REB-2). */
  hubEpoch: z.string(),
  connEpoch: z.number().int(),
  /** To be stored and returned in the next `hello` (JOIN-4). */
  chain: z.string().max(128),
  protocol: z.number().int(),
  limits: z.object({
    frameBytes: Limit,
    batchEvents: Limit,
    batchBytes: Limit,
    windowEvents: Limit,
    windowBytes: Limit,
    sessionsPerPage: Limit,
  }),
  /** Hub clock, for the offset of LOG-10. */
  now: z.number(),
})
export type Welcome = z.infer<typeof Welcome>

/**
 * The newest row of the hub's audit log, signed by the hub (`signedText.auditHeadGiven`). A machine keeps it on its own disk and
 * returns it in its next hello: a hub whose log lacks that row was tampered with, or put back to an older state.
 */
export const AuditHead = z.object({
  hubEpoch: z.string().min(1).max(64),
  id: z.number().int().positive(),
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  at: Millis,
  /** Counts the heads that this hub has given: one that the hub does not remember shows that its whole file is older. */
  count: z.number().int().positive(),
  signature: z.string().max(128),
})
export type AuditHead = z.infer<typeof AuditHead>

/** One of each epoch is kept, of so many epochs. */
export const MOST_AUDIT_HEADS = 8

export const Hello = z.object({
  software: z.string().max(64),
  protocol: z.array(z.number().int()).min(1).max(8),
  policyDigest: z.string().max(128),
  /** The chain value stored last; empty at the first hello. */
  chain: z.string().max(128),
  /** The newest of each epoch; an older agent returns none. */
  auditHeads: z.array(AuditHead).max(MOST_AUDIT_HEADS).optional(),
  now: Millis,
  manifest: AgentManifestPayload,
  host: z.object({ name: z.string().max(200), platform: z.string().max(40), arch: z.string().max(40) }),
  policy: z.object({
    roots: z.array(z.string()),
    maxSandbox: z.string(),
    /** What the machine allows, in a sentence for people. */
    summary: z.string(),
    /** Since when its owner has it paused; an older agent does not say. */
    pausedAt: Millis.nullable().optional(),
  }),
})
export type Hello = z.infer<typeof Hello>

export const SessionReport = z.object({
  sessionId: Id,
  logId: Id,
  /** First number still in the agent's log; 0 when it is empty. */
  firstRetained: Cursor,
  last: Cursor,
  /** What the hub had acknowledged, by the agent's own record, and under which epoch. */
  acked: Cursor,
  ackedEpoch: z.string().max(64),
})
export type SessionReport = z.infer<typeof SessionReport>

export const SessionsPage = z.object({ sessions: z.array(SessionReport).max(200), last: z.boolean() })
export type SessionsPage = z.infer<typeof SessionsPage>

/** The hub's word per session (LINK-2). `from` is the first number it wants. */
export const Verdict = z.discriminatedUnion('verdict', [
  z.object({ sessionId: Id, verdict: z.literal('resume'), from: Cursor }),
  z.object({ sessionId: Id, verdict: z.literal('rebase'), to: Cursor }),
  z.object({ sessionId: Id, verdict: z.literal('unknown') }),
  z.object({ sessionId: Id, verdict: z.literal('deleted') }),
  z.object({ sessionId: Id, verdict: z.literal('not_yours') }),
])
export type Verdict = z.infer<typeof Verdict>

export const EventBatch = z.object({
  sessionId: Id,
  logId: Id,
  events: z.array(EventEnvelope).min(1).max(64),
  /** Where something before or among them is gone. An older agent does not say; what cannot be read is not said. */
  soFar: SoFar.optional().catch(undefined),
})
export type EventBatch = z.infer<typeof EventBatch>

/** The agent's answer to a command. `accepted` means its inbox row is on disk. */
export type CommandAnswer =
  | { state: 'accepted' }
  | { state: 'refused'; error: ErrorBody }
  | { state: 'cancelled' }
  /** A repeat: what became of it the first time. */
  | { state: 'done' | 'outcome_unknown' }

/** `data` is base64, `bytes` the size of the whole. */
export const ArtifactChunk = z.object({
  data: z.base64().max(200_000),
  bytes: z.number().int().min(0),
})
export type ArtifactChunk = z.infer<typeof ArtifactChunk>

/** Calls back a command that was not accepted yet (CMD-4). */
export const CommandCancel = z.object({ commandId: Id, sessionId: Id })
export type CommandCancel = z.infer<typeof CommandCancel>

/** The hub takes no events for `ms`; the code says why. */
export const Hold = z.object({ ms: z.number().min(0).max(600_000), code: z.string() })
export type Hold = z.infer<typeof Hold>

/** Sessions of this machine that somebody looks at: all of them, each time they change. They go before the others. */
export const Attention = z.object({ sessionIds: z.array(Id).max(100) })
export type Attention = z.infer<typeof Attention>

/** Why the hub closes the connection: an error's code, and a sentence. */
export const Revoked = z.object({ code: z.string(), message: z.string() })
export type Revoked = z.infer<typeof Revoked>

/** Replaces a command if a session resumes by itself (RES-3): nobody requested that start. */
export const BY_ITSELF = 'by_itself'

/** What keeps the machine from taking work now. All of it, each time it changes. */
export const Waits = z.object({
  /** Programs that run now, and as many as may at once. */
  running: z.number().int().min(0),
  limit: z.number().int().min(0),
  /** Commands that wait for a free place among the running programs, and sessions that resume by themselves. */
  commands: z.array(z.object({ commandId: Id, sessionId: Id })).max(1_000),
  /** Then new work is refused (FLOW-4). An older agent does not say. */
  disk: DiskTrouble.optional(),
})
export type Waits = z.infer<typeof Waits>

/** What the machine's clock says, with every ping of the hub (LOG-10). An older agent does not say. */
export const Clock = z.object({ now: Millis })
export type Clock = z.infer<typeof Clock>

/** A chunk of an image that a prompt of this session brings. */
export const ImageAsked = z.object({
  sessionId: Id,
  imageId: Id,
  from: z.number().int().min(0).max(IMAGE_LIMIT_BYTES),
})
export type ImageAsked = z.infer<typeof ImageAsked>

/** In base64; never empty. */
export const ImageChunk = z.object({ data: z.base64().min(1).max(400_000) })
export type ImageChunk = z.infer<typeof ImageChunk>

/** News about a command after acceptance, as checked at the hub. */
export const CommandNews = z.object({
  commandId: Id,
  sessionId: Id,
  answer: z.object({
    state: z.enum(['accepted', 'refused', 'cancelled', 'done', 'outcome_unknown']),
    error: z.object({ code: z.string(), message: z.string(), retryable: z.boolean() }).loose().optional(),
  }),
})
export type CommandNews = z.infer<typeof CommandNews>
