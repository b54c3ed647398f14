/**
 * A session's account (LINK-5) that fits one frame, whatever waits in the session: a larger one would close the link for
 * every session of the machine. What does not fit is cut, from what is least missed: texts of queued prompts, of which the
 * beginning is shown and the whole is kept here; then requests, which come with their events all the same.
 */
import type { HostState, QueueEntry } from '@roundhouse/backend-types'

/** Of the texts of a queue, together; each has at least this much of it. */
const SHOWN_QUEUE_BYTES = 131_072
const LEAST_SHOWN = 512

export function boundedState(state: HostState, frameBytes: number): HostState {
  const room = frameBytes / 2
  const fits = (one: HostState) => bytesOf(JSON.stringify(one)) < room
  const shown = { ...state, queue: shownQueue(state.queue) }
  if (fits(shown)) return shown
  const bare = { ...shown, requests: [] }
  return fits(bare) ? bare : { ...bare, queue: [], openBlocks: [] }
}

/** The same entries, with as much of their texts as people look at. */
export function shownQueue(entries: readonly QueueEntry[]): QueueEntry[] {
  const sizes = entries.map(({ text }) => bytesOf(text))
  if (sizes.reduce((sum, size) => sum + size, 0) <= SHOWN_QUEUE_BYTES) return [...entries]
  const share = Math.max(LEAST_SHOWN, Math.floor(SHOWN_QUEUE_BYTES / entries.length))
  return entries.map((entry, index) =>
    (sizes[index] ?? 0) <= share ? entry : { ...entry, text: beginning(entry.text, share), cut: true },
  )
}

const encoder = new TextEncoder()
const bytesOf = (text: string): number => encoder.encode(text).length

/** A character takes up to three bytes, and is not torn in two. */
function beginning(text: string, bytes: number): string {
  return text.slice(0, Math.floor(bytes / 3)).replace(/[\ud800-\udbff]$/, '')
}
