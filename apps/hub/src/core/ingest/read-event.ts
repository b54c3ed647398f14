/**
 * BAD-1..3, one event at a time. An invalid envelope makes the frame malformed. An invalid payload, or one whose bytes
 * differ from the hash that its host computed, is stored as a tombstone. A kind or version that this build does not
 * know is stored unchanged, as `opaque`.
 */
import {
  EVENT_VERSION,
  type EventEnvelope,
  type HubOnlyEvent,
  SessionEvent,
  type SessionEventKind,
  type StoredEvent,
  sessionEventKinds,
} from '@roundhouse/backend-types'
import { isTooDeepText } from '../common/depth'
import { sha256 } from '../common/digests'

/** What the bytes of an event say, regardless of the session. */
export type ReadBody =
  | { kind: 'known'; event: SessionEvent }
  | { kind: 'opaque' }
  | { kind: 'tombstone'; code: string; path: string }

const known: ReadonlySet<string> = new Set(sessionEventKinds)

/** Returns what is wrong with the envelope's numbers, or null. */
export function envelopeFault(envelope: EventEnvelope): string | null {
  const { kind, seq, to } = envelope
  if (kind !== 'gap') return to === undefined ? null : 'only a gap stands for a range'
  if (to === undefined || to < seq) return 'a gap names its last number'
  const event = parse(envelope.body)
  const fits = event.success && event.data.kind === 'gap' && event.data.from === seq && event.data.to === to
  return fits ? null : 'the gap is not the one that its envelope names'
}

export function readBody(envelope: EventEnvelope): ReadBody {
  if (sha256(envelope.body) !== envelope.hash) return tombstone('DAMAGED')
  if (!known.has(envelope.kind) || envelope.v > EVENT_VERSION) return { kind: 'opaque' }
  if (isTooDeepText(envelope.body)) return tombstone('TOO_DEEP')
  const parsed = parse(envelope.body)
  if (!parsed.success) return tombstone('INVALID_PAYLOAD', parsed.path)
  if (parsed.data.kind !== (envelope.kind as SessionEventKind)) return tombstone('KIND_MISMATCH', 'kind')
  return { kind: 'known', event: parsed.data }
}

export const tombstone = (code: string, path = ''): ReadBody => ({ kind: 'tombstone', code, path })

/** The event as stored, with `at` by the hub's clock. */
export function toStored(
  envelope: EventEnvelope,
  read: ReadBody,
  { at, now }: { at: number; now: number },
): StoredEvent {
  const { seq, to, kind, v, hash, body: text } = envelope
  const stored: StoredEvent = { seq, kind, v, at, hash, body: text, storedAt: now }
  if (to !== undefined) stored.to = to
  if (read.kind === 'known') return stored
  if (read.kind === 'opaque') return { ...stored, kind: 'opaque' }
  const bytes = Buffer.byteLength(stored.body)
  const body: HubOnlyEvent = { kind: 'tombstone', code: read.code, path: read.path, bytes, sha256: stored.hash }
  return { ...stored, kind: 'tombstone', body: JSON.stringify(body) }
}

function parse(body: string): { success: true; data: SessionEvent } | { success: false; path: string } {
  let json: unknown
  try {
    json = JSON.parse(body)
  } catch {
    return { success: false, path: '' }
  }
  const parsed = SessionEvent.safeParse(json)
  if (parsed.success) return parsed
  return { success: false, path: (parsed.error.issues[0]?.path ?? []).map(String).join('.') }
}
