/** The bus over REST and over its socket: what is asked, and what comes back. */
import { z } from 'zod'
import { ErrorBody } from '../common/errors'
import { Cursor, Id, Millis } from '../common/ids'
import { OpenAsk } from './asks'
import { BusMessage, type BusSchemaName, busLimits, PeerName, TopicPattern } from './message'

/** Each message is judged by itself: one that is not valid refuses no other. */
export const PublishRequest = z.object({
  messages: z.array(z.unknown()).min(1).max(busLimits.messagesPerBatch),
})
export type PublishRequest = z.infer<typeof PublishRequest>

/** `duplicate`: the hub had taken this `id` of this peer before, and delivers it once. */
export const Published = z.union([
  z.object({ ok: z.literal(true), offset: Cursor, duplicate: z.boolean() }),
  z.object({ ok: z.literal(false), error: ErrorBody }),
])
export type Published = z.infer<typeof Published>

/** One result for each message, in its order. */
export const PublishAnswer = z.object({ results: z.array(Published) })
export type PublishAnswer = z.infer<typeof PublishAnswer>

/** Everything that the caller may see, unless told. */
export const MessagesQuery = z.object({
  /** The offset after which to begin. */
  after: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).default(0),
  pattern: TopicPattern.default('**'),
  limit: z.coerce.number().int().min(1).max(500).default(100),
})
export type MessagesQuery = z.infer<typeof MessagesQuery>

export const MessagesPage = z.object({
  items: z.array(BusMessage),
  /** Goes back as `after`. */
  next: Cursor,
  /** There is nothing more now. */
  isEnd: z.boolean(),
  /** Messages before this offset are not kept any more. */
  oldest: Cursor,
})
export type MessagesPage = z.infer<typeof MessagesPage>

export const PeerRole = z.enum(['worker', 'orchestrator'])
export type PeerRole = z.infer<typeof PeerRole>

export const PeerView = z.object({
  peerId: Id,
  kind: z.enum(['session', 'token', 'person']),
  role: PeerRole,
  name: z.string(),
  parentId: Id.nullable(),
  state: z.enum(['here', 'stale', 'left']),
  /** It has a connection to `/events`. */
  connected: z.boolean().optional(),
  /** Why it left. */
  reason: z.enum(['clean', 'crash', 'timeout']).nullable(),
  /** Null: it has not said. */
  phase: z.string().nullable(),
  joinedAt: Millis,
  seenAt: Millis,
  /** The last heartbeat; it is not stored as a message. */
  heartbeat: z.record(z.string(), z.unknown()).nullable(),
  /** The oldest first. */
  asks: z.array(OpenAsk),
})
export type PeerView = z.infer<typeof PeerView>
export const PeersList = z.object({ items: z.array(PeerView) })
export type PeersList = z.infer<typeof PeersList>

/** Once on a connection, before anything else. */
export const BusHello = z.object({
  /** Absent: what the token allows. */
  role: PeerRole.optional(),
  name: PeerName.optional(),
})
export const BusWelcome = z.object({
  peerId: Id,
  role: PeerRole,
  name: PeerName,
  newest: Cursor,
  limits: z.object({
    messagesPerSecond: z.number(),
    messagesPerTopicPerSecond: z.number(),
    messageBytes: z.number(),
  }),
})
export type BusWelcome = z.infer<typeof BusWelcome>

/** Takes the place of the subscription before it. Without `after` it begins with what is published from now on. */
export const BusSubscribe = z.object({
  patterns: z.array(TopicPattern).max(busLimits.patterns),
  after: Cursor.optional(),
})
export const BusSubscribed = z.object({ after: Cursor, newest: Cursor })

/** `next` is the `after` with which to continue: it also counts what the subscriber may not see. */
export const BusDelivery = z.object({ messages: z.array(BusMessage), next: Cursor })
export type BusDelivery = z.infer<typeof BusDelivery>

/** Of `data` of `task.<taskId>.assign`: an orchestrator names who works on it. */
export const TaskAssignment = z.object({ peer_id: Id })
export const TASK_ASSIGN: z.infer<typeof BusSchemaName> = 'task-assign-v1'
