/**
 * Turns an event into the text that is logged, sent and stored (LOG-9): clean, redact, cut, serialise, hash. Nothing
 * serialises it again.
 */
import { CodedError, type CutValue, SessionEvent } from '@roundhouse/backend-types'
import type { Redactor } from '../redact/redactor'
import { cleanValue } from '../redact/value'
import { leastEvent } from './least-event'
import { sha256 } from './sha256'

export { sha256 }

/** UTF-8 bytes of a body above which its large value is cut (LOG-6). */
export const BODY_LIMIT_BYTES = 65_536
/** The limit for a permission request: a person should see as much of it as possible (PERM-7). */
const QUESTION_LIMIT_BYTES = 131_072
const ARTIFACT_LIMIT_BYTES = 64 * 1024 * 1024
const HEAD_CHARS = 8_192
const TAIL_CHARS = 4_096

export interface SerializedEvent {
  /** The event as in the body: cleaned and cut. */
  event: SessionEvent
  kind: SessionEvent['kind']
  to?: number
  body: string
  hash: string
}

/** Stores the whole of a value that was cut. Returns `null` if it cannot be stored, so that the event says `truncated`. */
export type KeepWhole = (text: string, sha256: string, bytes: number) => string | null

/**
 * Throws if the event violates its schema (BAD-1), or is too large even with its large value cut. Events that must
 * exist have a smaller form for that case.
 */
export function serializeEvent(event: SessionEvent, redact: Redactor, keepWhole: KeepWhole): SerializedEvent {
  const clean = cleanValue(event, redact)
  const marks = {
    ...(clean.redacted > 0 ? { redacted: clean.redacted } : {}),
    ...(clean.lossy ? { lossy: true } : {}),
  }
  const cleaned = clean.value as SessionEvent
  try {
    return serializeClean({ ...cleaned, ...marks }, keepWhole)
  } catch (error) {
    const least = leastEvent(cleaned)
    if (!least) throw error
    return serializeClean({ ...least, ...marks }, keepWhole)
  }
}

function serializeClean(marked: SessionEvent, keepWhole: KeepWhole): SerializedEvent {
  const valid = SessionEvent.parse(marked)
  const limit = valid.kind === 'permission_requested' ? QUESTION_LIMIT_BYTES : BODY_LIMIT_BYTES
  const whole = textOver(valid, limit) ? null : JSON.stringify(valid)
  const fits = whole !== null && Buffer.byteLength(whole) <= limit
  const written = fits ? valid : cutEvent(valid, keepWhole)
  const body = fits ? whole : JSON.stringify(written)
  if (body.length > 4 * BODY_LIMIT_BYTES) throw new CodedError('FRAME_TOO_LARGE', `A ${valid.kind} event is too large.`)
  const to = written.kind === 'gap' ? { to: written.to } : {}
  return { event: written, kind: written.kind, ...to, body, hash: sha256(body) }
}

/** Whether the value contains more text than this. Makes no copy, because the value may be very large. */
function textOver(value: unknown, limit: number): boolean {
  let left = limit
  const walk = (part: unknown): boolean => {
    if (typeof part === 'string') left -= part.length
    else if (typeof part === 'object' && part !== null) return Object.values(part).some(walk)
    return left < 0
  }
  return walk(value)
}

/** The one value of each kind that may be large. */
function cutEvent(event: SessionEvent, keepWhole: KeepWhole): SessionEvent {
  switch (event.kind) {
    case 'assistant_text':
    case 'thinking':
    case 'user_message':
      return { ...event, text: typeof event.text === 'string' ? cutValue(event.text, keepWhole) : event.text }
    case 'tool_use':
      return { ...event, input: cutValue(event.input, keepWhole) }
    case 'tool_result':
      return { ...event, output: cutValue(event.output, keepWhole) }
    case 'system':
      return { ...event, data: cutValue(event.data, keepWhole) }
    case 'permission_requested':
      return { ...event, ask: { ...event.ask, input: cutValue(event.ask.input, keepWhole), inputCut: true } }
    case 'permission_resolved':
      return event.effectiveInput === undefined
        ? event
        : { ...event, effectiveInput: cutValue(event.effectiveInput, keepWhole) }
    default:
      return event
  }
}

function cutValue(value: unknown, keepWhole: KeepWhole): CutValue {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  const bytes = Buffer.byteLength(text)
  const hash = sha256(text)
  const artifactId = bytes <= ARTIFACT_LIMIT_BYTES ? keepWhole(text, hash, bytes) : null
  return {
    cut: true,
    head: text.slice(0, HEAD_CHARS),
    tail: text.slice(-TAIL_CHARS),
    bytes,
    sha256: hash,
    ...(artifactId === null ? { truncated: true } : { artifactId }),
  }
}
