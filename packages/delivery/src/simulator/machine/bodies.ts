/** Events as the simulated host writes them: the contract's own shapes, an id to tell them apart, and a cheap hash. */
import type { EventEnvelope, SessionEvent } from '@roundhouse/backend-types'
import { gapEvent } from '../../index'

/** Enough to tell texts apart, and fast (FNV-1a, twice). */
export function cheapHash(text: string): string {
  let a = 0x811c9dc5
  let b = 0x1b873593
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    a = Math.imul(a ^ code, 0x01000193)
    b = Math.imul(b ^ code, 0x85ebca6b)
  }
  return `${(a >>> 0).toString(16)}-${(b >>> 0).toString(16)}`
}

export function envelope(seq: number, uid: string, event: SessionEvent, at: number): EventEnvelope {
  const body = JSON.stringify({ uid, ...event })
  return { seq, kind: event.kind, v: 1, at, hash: cheapHash(body), body }
}

export function prunedGap(from: number, to: number, at: number): EventEnvelope {
  return gapEvent({ from, to }, 'pruned', at, cheapHash)
}

/** BAD-2: what the hub keeps of an event whose bytes are not those that its host hashed. */
export function tombstoneOf({ seq, v, at, hash, body }: EventEnvelope): EventEnvelope {
  const kept = { kind: 'tombstone', code: 'DAMAGED', path: '', bytes: body.length, sha256: hash }
  return { seq, kind: 'tombstone', v, at, hash, body: JSON.stringify(kept) }
}

export const isIntact = ({ hash, body }: EventEnvelope): boolean => cheapHash(body) === hash

/** The simulated processes trust each other's JSON; schemas are another test's business. Each text is read once. */
export function eventOf({ body }: { body: string }): SessionEvent {
  const known = read.get(body)
  if (known) return known
  const event = JSON.parse(body) as SessionEvent
  if (read.size > 20_000) read.clear()
  read.set(body, event)
  return event
}
const read = new Map<string, SessionEvent>()
