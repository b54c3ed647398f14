/** A gap's envelope. Its body names its range, so it is the one event whose text depends on its number. */
import type { EventEnvelope, SessionEventOf } from '@roundhouse/backend-types'

export type GapReason = SessionEventOf<'gap'>['reason']

export function gapEvent(
  range: { from: number; to: number },
  reason: GapReason,
  at: number,
  sha256: (text: string) => string,
): EventEnvelope {
  const gap: SessionEventOf<'gap'> = { kind: 'gap', from: range.from, to: range.to, reason }
  const body = JSON.stringify(gap)
  return { seq: range.from, to: range.to, kind: 'gap', v: 1, at, hash: sha256(body), body }
}

/** Null for what is no gap, or none that can be read. */
export function gapReasonOf(event: Pick<EventEnvelope, 'kind' | 'body'>): GapReason | null {
  if (event.kind !== 'gap') return null
  try {
    return (JSON.parse(event.body) as { reason?: GapReason }).reason ?? null
  } catch {
    return null
  }
}
