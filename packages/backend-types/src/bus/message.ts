/**
 * A message of the bus on the wire, as the event convention has it: eleven fields and a topic. Names are the convention's
 * own. What a topic, a schema or a phase means is in `packages/bus`.
 */
import { z } from 'zod'
import { Cursor, ForeignId, Id } from '../common/ids'

/** The version of the envelope. */
export const BUS_VERSION = 1

/** By default. A hub's own are in `hello`. */
export const busLimits = {
  /** Of one peer, in one second. */
  messagesPerSecond: 500,
  /** Of one peer on one topic, in one second. */
  messagesPerTopicPerSecond: 250,
  /** Of one message as JSON in UTF-8. */
  messageBytes: 65_536,
  /** In one frame or request. */
  messagesPerBatch: 256,
  /** Of one subscriber. */
  patterns: 32,
} as const

const SEGMENT = '[A-Za-z0-9_-]{1,64}'

const TOPIC_CHARS = 256
const topicSigns = new RegExp(`^${SEGMENT}(\\.${SEGMENT}){1,5}$`)

/** Two to six segments. */
export const Topic = z
  .string()
  .max(TOPIC_CHARS)
  .regex(topicSigns, 'a topic: words of letters, digits, _ and -, with dots between')
export type Topic = z.infer<typeof Topic>

/** As `Topic` decides, for whoever asks at each message. */
export const isTopic = (text: string): boolean => text.length <= TOPIC_CHARS && topicSigns.test(text)

const PATTERN_SEGMENT = `(${SEGMENT}|\\*|\\*\\*)`

/** `*` is one segment, `**` any number of them. */
export const TopicPattern = z
  .string()
  .max(256)
  .regex(new RegExp(`^${PATTERN_SEGMENT}(\\.${PATTERN_SEGMENT}){0,5}$`), 'a pattern of topics')
export type TopicPattern = z.infer<typeof TopicPattern>

/** The name of a schema, with its version. */
export const BusSchemaName = z
  .string()
  .max(64)
  .regex(/^[a-z][a-z0-9-]*-v[1-9][0-9]?$/, 'the name of a schema, with its version')
export type BusSchemaName = z.infer<typeof BusSchemaName>

/** What a schema describes. Unknown fields stay. */
export const BusData = z.record(z.string(), z.unknown())
export type BusData = z.infer<typeof BusData>

/** As `Date` writes it: UTC, with or without milliseconds. */
export const IsoTime = z
  .string()
  .max(30)
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/, 'a time in UTC, 2026-04-27T12:00:00.123Z for example')
  .refine((text) => !Number.isNaN(Date.parse(text)), 'a time that exists')

/** The person-readable label of a peer. What a program says is its claim; what the hub says has the name of its person first (BUS-14). */
export const PeerName = z.string().min(1).max(128)

/** Of what a publisher sends, the hub overwrites `from_peer` and `ts_server`, and fills in what is missing. */
export const PublishedMessage = z.object({
  topic: Topic,
  v: z.literal(BUS_VERSION),
  /** Of one peer, the same `id` is delivered once. */
  id: Id,
  correlation_id: Id.nullable().optional(),
  parent_id: Id.nullable().optional(),
  /** May only be the publisher's own. */
  from_peer: Id.optional(),
  from_name: PeerName.optional(),
  terminal_id: ForeignId.nullable().optional(),
  /** By the publisher's clock. Nothing is ordered by it. */
  ts_published: IsoTime.optional(),
  schema: BusSchemaName,
  data: BusData,
})
export type PublishedMessage = z.infer<typeof PublishedMessage>

/** All eleven fields, always. */
export const BusEnvelope = z.object({
  v: z.literal(BUS_VERSION),
  id: Id,
  correlation_id: Id.nullable(),
  parent_id: Id.nullable(),
  from_peer: Id,
  from_name: PeerName,
  terminal_id: ForeignId.nullable(),
  ts_published: IsoTime,
  ts_server: IsoTime,
  schema: BusSchemaName,
  data: BusData,
})
export type BusEnvelope = z.infer<typeof BusEnvelope>

/**
 * A message as subscribers receive it. Offsets are dense on a hub: a reader that may not see a message finds its offset
 * missing.
 */
export const BusMessage = BusEnvelope.extend({ offset: Cursor, topic: Topic })
export type BusMessage = z.infer<typeof BusMessage>
