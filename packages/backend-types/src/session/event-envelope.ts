/**
 * An event in transit and in storage: its number, its hash, and its payload as text. Also what the hub keeps of an event
 * that it cannot read.
 */
import { z } from 'zod'
import { Millis, Seq, Sha256 } from '../common/ids'
import { Author, SessionEvent } from './events'

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

/**
 * An event as viewers receive it. `storedAt` is the hub's own clock; `at` is the time to show: the agent's, minus its
 * measured offset, never after `storedAt` and never decreasing with `seq` (LOG-10). A tombstone's body is a `HubOnlyEvent`.
 */
export const StoredEvent = EventEnvelope.extend({
  storedAt: Millis,
  /**
   * The person behind the event, by the hub's own register. The body has only the machine's claim: pages show no name that
   * is not here as well (VIEW-8).
   */
  doneBy: Author.optional(),
})
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
