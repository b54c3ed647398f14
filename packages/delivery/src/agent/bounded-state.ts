/**
 * A session's account (LINK-5) that fits one frame, whatever waits in the session: a larger one would close the link for
 * every session of the machine. What does not fit is cut, from what is least missed: texts of queued prompts, of which the
 * beginning is shown and the whole is kept here; then requests, which come with their events all the
 * same; then whatever else is long.
 */
import type { HostState, QueueEntry } from '@roundhouse/backend-types'
import { beginningOf, fittingList, isWithin, jsonBytes } from './json-bytes'

/** Of the texts of a queue, together; each has at least this much of it. */
const SHOWN_QUEUE_BYTES = 131_072
const LEAST_SHOWN = 512

/** Each leaves out more than the one before. */
const steps: ReadonlyArray<(state: HostState, room: number) => HostState> = [
  (state) => ({ ...state, queue: shownQueue(state.queue) }),
  (state, room) => ({ ...state, requests: fittingList(state.requests, room / 2) }),
  (state) => ({ ...state, queue: state.queue.map(({ images: _, ...entry }) => entry) }),
  (state) => ({ ...state, requests: [] }),
  ({ background: _, ...state }) => ({ ...state, queue: [], openBlocks: [], status: bareStatus(state.status) }),
]

export function boundedState(state: HostState, frameBytes: number): HostState {
  const room = frameBytes / 2
  let bounded = state
  for (const step of steps) {
    bounded = step(bounded, room)
    if (isWithin(bounded, room)) break
  }
  return bounded.requests.length === state.requests.length ? bounded : { ...bounded, ...countOf(state) }
}

/** What is left out is counted. */
const countOf = ({ openRequests, requests }: HostState) => ({ openRequests: openRequests ?? requests.length })

function bareStatus(status: HostState['status']): HostState['status'] {
  if (!('error' in status) || !status.error) return status
  return { ...status, error: { ...status.error, message: beginningOf(status.error.message, LEAST_SHOWN) } }
}

/** The same entries, with as much of their texts as people look at. */
export function shownQueue(entries: readonly QueueEntry[]): QueueEntry[] {
  const sizes = entries.map(({ text }) => jsonBytes(text))
  if (sizes.reduce((sum, size) => sum + size, 0) <= SHOWN_QUEUE_BYTES) return [...entries]
  const share = Math.max(LEAST_SHOWN, Math.floor(SHOWN_QUEUE_BYTES / entries.length))
  return entries.map((entry, index) =>
    (sizes[index] ?? 0) <= share ? entry : { ...entry, text: beginningOf(entry.text, share), cut: true },
  )
}
