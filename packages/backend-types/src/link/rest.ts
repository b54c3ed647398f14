/**
 * REST under `/api/v1`: request and response bodies. The hub builds its OpenAPI document from these, the typed client
 * parses with them. Lists are cursor-paged: `{ items, next }`, where `next` goes back as `?cursor=`.
 */
import { z } from 'zod'
import { Answers, PermissionAnswer, REASON_LIMIT } from '../adapter/adapter'
import { PromptImage } from '../adapter/images'
import { AgentManifestPayload } from '../adapter/manifest'
import { Cursor, ForeignId, Id, Millis } from '../common/ids'
import { OneUseState } from '../common/one-use'
import { CommandState } from '../session/commands'
import { StoredEvent } from '../session/event-envelope'
import { OpenBlock, RequestView, SessionSummary, SessionView } from '../session/session'
import { AskedSettings, SessionSettings } from '../session/session-settings'
import { DiskTrouble } from './disk-trouble'
import { Password } from './people'

const unseen = /[\p{Cc}\u200e\u200f\u2028-\u202e\u2066-\u2069]/u
/** One line, of characters that can be seen: it stands in lists beside others, and in the title of the window. */
const shownName = (most: number) =>
  z
    .string()
    .min(1)
    .max(most)
    .refine((text) => text.trim() !== '' && !unseen.test(text), 'It takes no control characters, nor blanks alone.')

export const Health = z.object({
  ok: z.literal(true),
  version: z.string(),
  setupRequired: z.boolean(),
  /** What the sign-in page calls it; null: there is none. */
  identityProvider: z.string().nullable(),
})
export type Health = z.infer<typeof Health>

/** It takes what is sent to it. Otherwise the answer is an error that says why not. */
export const Ready = z.object({ ready: z.literal(true) })
export type Ready = z.infer<typeof Ready>

/** How this hub takes machines in. `hubKeyFingerprint` is the whole one. */
export const HubSettings = z.object({
  /** Every machine that joins waits until a person admits it. */
  requireApproval: z.boolean(),
  hubKeyFingerprint: z.string(),
})
export type HubSettings = z.infer<typeof HubSettings>

export const HubSettingsChange = z.object({ requireApproval: z.boolean() })
export type HubSettingsChange = z.infer<typeof HubSettingsChange>

export const SetupRequest = z.object({
  code: z.string().min(1).max(200),
  name: shownName(100),
  email: z.email(),
  password: Password,
})
export type SetupRequest = z.infer<typeof SetupRequest>

// -- agents

export const AgentState = z.enum(['pending', 'active', 'disabled', 'revoked'])
export type AgentState = z.infer<typeof AgentState>

export const AgentView = z.object({
  agentId: Id,
  name: z.string(),
  state: AgentState,
  online: z.boolean(),
  lastSeenAt: Millis.nullable(),
  createdAt: Millis,
  keyFingerprint: z.string(),
  software: z.string().optional(),
  platform: z.string().optional(),
  roots: z.array(z.string()),
  maxSandbox: z.string().optional(),
  /** Its owner has paused it there: it refuses whatever is asked. */
  pausedAt: Millis.optional(),
  /** A copy of it, or a disk that was put back, has shown its key: nothing with that key comes in (JOIN-4). */
  clonedAt: Millis.optional(),
  /** CLOCK_SKEW: so far is its clock ahead of the hub's, where that is more than 30 s. */
  clockSkewMs: z.number().int().optional(),
  /** Its disk takes no writes: it refuses new work until it does (FLOW-4). */
  disk: DiskTrouble.optional(),
  manifest: AgentManifestPayload.nullable(),
  activeSessions: z.number().int().min(0),
})
export type AgentView = z.infer<typeof AgentView>

export const EnrollmentTokenRequest = z.object({
  name: shownName(100).optional(),
  ttlMinutes: z.number().int().min(1).max(1440).optional(),
  /** The machine waits for a person, whatever the hub asks of others. */
  requireApproval: z.boolean().optional(),
})
export type EnrollmentTokenRequest = z.infer<typeof EnrollmentTokenRequest>

/** `token` is shown this once. `command` is what a person copies; it reads the token from standard input. */
export const EnrollmentTokenMade = z.object({
  tokenId: Id,
  token: z.string(),
  expiresAt: Millis,
  hubUrl: z.string(),
  hubKeyFingerprint: z.string(),
  command: z.string(),
})
export type EnrollmentTokenMade = z.infer<typeof EnrollmentTokenMade>

export const EnrollmentTokenView = z.object({
  tokenId: Id,
  state: OneUseState,
  createdAt: Millis,
  expiresAt: Millis,
  usedBy: Id.nullable(),
})
export type EnrollmentTokenView = z.infer<typeof EnrollmentTokenView>

export const EnrollmentTokensList = z.object({ items: z.array(EnrollmentTokenView) })

/** Keys and signatures are base64url, here and below; a public key is the raw 32 bytes of Ed25519. */
export const ChallengeRequest = z.object({ agentId: Id.optional(), agentNonce: z.string().min(16).max(128) })
export type ChallengeRequest = z.infer<typeof ChallengeRequest>

/** `hubSignature` is over `hub-auth-v1|<hubId>|<agentNonce>` by the hub's key. */
export const ChallengeReply = z.object({
  hubId: z.string(),
  hubPublicKey: z.string(),
  nonce: z.string(),
  hubSignature: z.string(),
})
export type ChallengeReply = z.infer<typeof ChallengeReply>

/** `signature` is over `agent-enroll-v1|<hubId>|<nonce>|<publicKey>` by the new agent key. */
export const EnrollRequest = z.object({
  token: z.string().min(20).max(200),
  nonce: z.string().max(128),
  publicKey: z.string().max(64),
  signature: z.string().max(128),
  name: shownName(100),
  platform: z.string().max(80),
})
export type EnrollRequest = z.infer<typeof EnrollRequest>

export const EnrollReply = z.object({
  agentId: Id,
  hubId: z.string(),
  hubPublicKey: z.string(),
  state: AgentState,
  name: z.string(),
})
export type EnrollReply = z.infer<typeof EnrollReply>

/**
 * Another key for the same machine. `signature` by the key it has, `newSignature` by the one it will have, both over
 * `agent-rotate-v1|<hubId>|<agentId>|<nonce>|<newPublicKey>`. Nothing else can be said with it.
 */
export const RotateKeyRequest = z.strictObject({
  agentId: Id,
  nonce: z.string().max(128),
  newPublicKey: z.string().max(64),
  signature: z.string().max(128),
  newSignature: z.string().max(128),
})
export type RotateKeyRequest = z.infer<typeof RotateKeyRequest>

export const RotateKeyReply = z.object({ agentId: Id, keyFingerprint: z.string() })
export type RotateKeyReply = z.infer<typeof RotateKeyReply>

/**
 * What people compare: 80 bits of a key's fingerprint in groups of four, the same on the page and on the machine. Who wants
 * another key that reads the same has to make 2^80 of them while the machine waits.
 */
export const shortFingerprint = (fingerprint: string): string =>
  (fingerprint.slice(0, 20).match(/.{1,4}/g) ?? []).join(' ')

/** Text that both ends sign and check; one place, so that they cannot drift apart. */
export const signedText = {
  hubAuth: (hubId: string, agentNonce: string) => `hub-auth-v1|${hubId}|${agentNonce}`,
  enroll: (hubId: string, nonce: string, publicKey: string) => `agent-enroll-v1|${hubId}|${nonce}|${publicKey}`,
  agentAuth: (hubId: string, agentId: string, nonce: string, hubUrl: string) =>
    `agent-auth-v1|${hubId}|${agentId}|${nonce}|${hubUrl}`,
  rotate: (hubId: string, agentId: string, nonce: string, newPublicKey: string) =>
    `agent-rotate-v1|${hubId}|${agentId}|${nonce}|${newPublicKey}`,
  auditHeadGiven: (hubId: string, head: { hubEpoch: string; count: number; id: number; hash: string; at: number }) =>
    `audit-head-v2|${hubId}|${head.hubEpoch}|${head.count}|${head.id}|${head.hash}|${head.at}`,
  auditHead: (hubId: string, head: { id: number; hash: string }) => `audit-head-v1|${hubId}|${head.id}|${head.hash}`,
}
/** Headers of the agent's WebSocket upgrade (LINK-1). */
export const agentAuthHeaders = {
  agentId: 'x-roundhouse-agent',
  nonce: 'x-roundhouse-nonce',
  signature: 'x-roundhouse-signature',
} as const

// -- sessions

export const CreateSessionRequest = z.object({
  agentId: Id,
  settings: AskedSettings,
  title: shownName(200).optional(),
  prompt: z.string().optional(),
  /** Of the first prompt, which may be images alone: one's own uploads for a new session. */
  images: z.array(Id).min(1).max(100).optional(),
  /** The session that this one goes on from, on whichever machine that is (SES-4). */
  continuedFrom: Id.optional(),
})
export type CreateSessionRequest = z.infer<typeof CreateSessionRequest>

/** The answer to every POST that makes a command. */
export const CommandMade = z.object({ commandId: Id, sessionId: Id, state: CommandState })
export type CommandMade = z.infer<typeof CommandMade>

export const PromptRequest = z
  .object({
    /** Made by the client, so that a repeat is the same prompt. */
    promptId: Id,
    /** Empty only where images say it all. */
    text: z.string(),
    override: z.object({ model: z.string().max(200).optional(), mode: z.string().max(200).optional() }).optional(),
    steer: z.boolean().optional(),
    /** Of this session: one's own uploads, and what prompts here brought before. */
    images: z.array(Id).min(1).max(100).optional(),
  })
  .refine(({ text, images }) => text !== '' || images !== undefined, {
    path: ['text'],
    message: 'A prompt is a text, images, or both.',
  })
export type PromptRequest = z.infer<typeof PromptRequest>

/** What an upload became. Until a prompt brings it, its sender alone can use it, for a day. */
export const ImageUploaded = PromptImage
export type ImageUploaded = z.infer<typeof ImageUploaded>

export const InterruptRequest = z.object({ turnId: Id })
export type InterruptRequest = z.infer<typeof InterruptRequest>

export const StopTaskRequest = z.object({ taskId: ForeignId })
export type StopTaskRequest = z.infer<typeof StopTaskRequest>

export const ResumeRequest = z.object({ fresh: z.boolean().optional() })
export type ResumeRequest = z.infer<typeof ResumeRequest>

export const ConfigureRequest = SessionSettings.pick({
  model: true,
  mode: true,
  sandbox: true,
  thinking: true,
  autoResume: true,
}).partial()
export type ConfigureRequest = z.infer<typeof ConfigureRequest>

export const QueueEditRequest = z.discriminatedUnion('op', [
  z.object({
    op: z.literal('edit'),
    promptId: Id,
    rev: z.number().int().min(0),
    text: z.string().min(1),
  }),
  z.object({ op: z.literal('remove'), promptId: Id, rev: z.number().int().min(0) }),
  z.object({ op: z.literal('move'), promptId: Id, rev: z.number().int().min(0), toIndex: z.number().int().min(0) }),
  z.object({ op: z.literal('release') }),
])
export type QueueEditRequest = z.infer<typeof QueueEditRequest>

export const RenameRequest = z.object({
  title: shownName(200).optional(),
  archived: z.boolean().optional(),
})
export type RenameRequest = z.infer<typeof RenameRequest>

export const DecisionRequest = z.object({
  decision: PermissionAnswer,
  digest: z.string().min(1).max(256),
  /** Text to the model where the decision is a refusal. It is shown and audited. */
  reason: z.string().max(REASON_LIMIT).optional(),
  /** An edit: what runs instead of what was asked. Needs the right to prompt. */
  updatedInput: z.unknown().optional(),
  /** To a question or a form. Whoever may decide may give them. */
  answers: Answers.optional(),
  /** The mode in which the session goes on, with the allow of a plan. Needs the right to prompt. */
  mode: z.string().min(1).max(200).optional(),
  /** With `allow_session`: which of the request's `scopes` it leaves. */
  scopeId: z.string().min(1).max(64).optional(),
})
export type DecisionRequest = z.infer<typeof DecisionRequest>

/** VIEW-1: one read transaction. `events` is the latest page, oldest first. */
export const Snapshot = z.object({
  head: Cursor,
  hubEpoch: z.string(),
  session: SessionView,
  openBlocks: z.array(OpenBlock.extend({ text: z.string(), from: z.number().int().min(0) })),
  events: z.array(StoredEvent),
  /** True when there are older events before the first of the page. */
  more: z.boolean(),
})
export type Snapshot = z.infer<typeof Snapshot>

export const EventsPage = z.object({
  events: z.array(StoredEvent),
  head: Cursor,
  hubEpoch: z.string(),
  more: z.boolean(),
})
export type EventsPage = z.infer<typeof EventsPage>

export const SessionsList = z.object({ items: z.array(SessionSummary), next: z.string().nullable() })
export type SessionsList = z.infer<typeof SessionsList>

export const Inbox = z.object({
  rev: z.number().int().min(0),
  requests: z.array(RequestView.extend({ title: z.string(), agentName: z.string(), backend: z.string() })),
  /** Questions that are not listed, of machines that ask too many. */
  cut: z.array(z.object({ agentId: Id, agentName: z.string(), count: z.number().int().min(1) })).optional(),
  running: z.array(SessionSummary),
  recent: z.array(SessionSummary),
})
export type Inbox = z.infer<typeof Inbox>

export const AgentName = z.object({ name: z.string().min(1).max(100) })

export const AgentsList = z.object({ items: z.array(AgentView) })
export type AgentsList = z.infer<typeof AgentsList>

export const FoldersReply = z.object({
  path: z.string(),
  roots: z.array(z.string()),
  folders: z.array(z.object({ name: z.string(), path: z.string() })),
  /** False: there are more. Older agents do not say. */
  complete: z.boolean().optional(),
})
export type FoldersReply = z.infer<typeof FoldersReply>

/** Query of a machine's folders; no path: its roots. */
export const FoldersQuery = z.object({ path: z.string().max(4096).optional() })

/** Query of `GET /sessions/:id/events`: one of `after` (upwards) and `before` (downwards); neither means the latest page. */
export const EventsQuery = z.object({
  after: z.coerce.number().int().min(0).optional(),
  before: z.coerce.number().int().min(1).optional(),
  limit: z.coerce.number().int().min(1).max(1_000).default(200),
})
export type EventsQuery = z.infer<typeof EventsQuery>

/** Query of `GET /sessions/:id`: the size of its latest page. */
export const SnapshotQuery = z.object({ limit: z.coerce.number().int().min(1).max(1_000).optional() })

/** Query of an artifact: the first byte that is wanted. */
export const ArtifactQuery = z.object({ from: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).default(0) })

/** All that a person wrote with a command that a page shows (VIEW-9). */
export const CommandText = z.object({ text: z.string() })
export type CommandText = z.infer<typeof CommandText>

/** It was done, and there is nothing to say. */
export const Ok = z.object({ ok: z.literal(true) })

export const SessionsQuery = z.object({
  cursor: z.string().max(200).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  agentId: Id.optional(),
  backend: z.string().max(64).optional(),
  status: z.string().max(40).optional(),
  text: z.string().max(200).optional(),
  archived: z.enum(['true', 'false']).optional(),
})
export type SessionsQuery = z.infer<typeof SessionsQuery>
