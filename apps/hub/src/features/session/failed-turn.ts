/** The last turn, where it failed and nothing came after it. Pure. */
import type { SeenEvent } from '@roundhouse/hub-client'

export interface FailedTurn {
  seq: number
  prompt: string
  /** Of its images. */
  imageIds: string[]
}

export function failedTurn(events: readonly SeenEvent[]): FailedTurn | null {
  const at = events.findLastIndex(({ kind }) => kind === 'turn_completed' || kind === 'turn_started')
  const { event, seq } = events[at] ?? {}
  if (event?.kind !== 'turn_completed' || event.reason !== 'failed' || seq === undefined) return null
  const after = events.slice(at).some(({ kind }) => kind === 'user_message')
  const sent = events.slice(0, at).findLast(({ kind }) => kind === 'user_message')?.event
  if (after || sent?.kind !== 'user_message' || typeof sent.text !== 'string') return null
  return { seq, prompt: sent.text, imageIds: (sent.images ?? []).map(({ imageId }) => imageId) }
}
