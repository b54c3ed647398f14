/**
 * REST under `/api/v1`: request and response bodies. The hub builds its OpenAPI document from these, the typed client
 * parses with them. Lists are cursor-paged: `{ items, next }`, where `next` goes back as `?cursor=`.
 */

import { z } from 'zod'
import { PromptImage } from '../adapter/images'
import { Answers, Decision, REASON_LIMIT } from '../adapter/permission-request'
import { InboxAsk } from '../bus/asks'
import { Cursor, ForeignId, Id } from '../common/ids'
import { shownName } from '../common/shown-name'
import { CommandState } from '../session/commands'
import { StoredEvent } from '../session/event-envelope'
import { OpenBlock, RequestView, SessionSummary, SessionView } from '../session/session'
import { AskedSettings, SessionSettings } from '../session/session-settings'
import { SpawningWanted } from '../session/tree'
import { Password } from './people'

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

export const CreateSessionRequest = z.object({
  agentId: Id,
  settings: AskedSettings,
  title: shownName(200).optional(),
  prompt: z.string().optional(),
  /** The images of the first prompt, which may have no text: the person's own uploads for a new session. */
  images: z.array(Id).min(1).max(100).optional(),
  /** The session that this one continues, on whichever machine it is (SES-4). */
  continuedFrom: Id.optional(),
  /** Its program may start other sessions. Only a signed-in person can ask for this. */
  spawning: SpawningWanted.optional(),
})
export type CreateSessionRequest = z.infer<typeof CreateSessionRequest>

/** The answer to every POST that makes a command. */
export const CommandMade = z.object({ commandId: Id, sessionId: Id, state: CommandState })
export type CommandMade = z.infer<typeof CommandMade>

export const PromptRequest = z
  .object({
    /** Made by the client, so that it knows its prompt in the transcript. What makes a repeat the same prompt is its idempotency key; another prompt takes another id (CMD-5.28). */
    promptId: Id,
    /** Empty only where images say it all. */
    text: z.string(),
    override: z.object({ model: z.string().max(200).optional(), mode: z.string().max(200).optional() }).optional(),
    steer: z.boolean().optional(),
    /** Images of this session: the person's own uploads, and images of earlier prompts here. */
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
  maxThinkingTokens: true,
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
  decision: Decision,
  digest: z.string().min(1).max(256),
  /** Text to the model where the decision is a refusal. It is shown and audited. */
  reason: z.string().max(REASON_LIMIT).optional(),
  /** An edit: what runs instead of what was asked. Needs the right to prompt. */
  updatedInput: z.unknown().optional(),
  /** Answers to a question or a form. A person who may decide may give them. */
  answers: Answers.optional(),
  /** The mode in which the session continues, with the allow of a plan. Needs the right to prompt. */
  mode: z.string().min(1).max(200).optional(),
  /** With `allow_session`: which of the request's `scopes` it leaves. */
  scopeId: z.string().min(1).max(64).optional(),
  /** With `allow_session`: the scope, one of `folderRule`, is always allowed in the folder. Needs the right to prompt. */
  always: z.literal(true).optional(),
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
  /** What programs ask on the bus; an answer permits nothing. The oldest first, at most 200. */
  asks: z.array(InboxAsk),
  running: z.array(SessionSummary),
  recent: z.array(SessionSummary),
})
export type Inbox = z.infer<typeof Inbox>

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
  /** `true`: runs alone (RUN-1); `false`: no runs. */
  runs: z.enum(['true', 'false']).optional(),
})
export type SessionsQuery = z.infer<typeof SessionsQuery>
