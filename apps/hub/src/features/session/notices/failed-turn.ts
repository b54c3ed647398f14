/** The last turn if it failed and nothing came after it. Pure. */
import type { CutValue } from '@roundhouse/backend-types'
import type { SeenEvent } from '@roundhouse/hub-client'

export interface FailedTurn {
  seq: number
  /** The prompt that began the turn, without texts added while it ran. */
  prompt: string | CutValue
  /** Ids of the prompt's images. */
  imageIds: string[]
}

/** Also null if no prompt began the turn: a program can begin turns by itself, and then there is nothing to send again. */
export function failedTurn(events: readonly SeenEvent[]): FailedTurn | null {
  const at = events.findLastIndex(({ kind }) => kind === 'turn_completed' || kind === 'turn_started')
  const { event, seq } = events[at] ?? {}
  if (event?.kind !== 'turn_completed' || event.reason !== 'failed' || seq === undefined) return null
  if (events.slice(at).some(({ kind }) => kind === 'user_message')) return null
  const begun = events.findLastIndex(({ event: one }) => one?.kind === 'turn_started' && one.turnId === event.turnId)
  if (begun < 0) return null
  const asked = events.slice(begun, at).find(({ event: one }) => one?.kind === 'user_message' && !one.steer)?.event
  if (asked?.kind !== 'user_message') return null
  return { seq, prompt: asked.text, imageIds: (asked.images ?? []).map(({ imageId }) => imageId) }
}
