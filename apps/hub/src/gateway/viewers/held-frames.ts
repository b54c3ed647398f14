/**
 * VIEW-1: frames of one session that come after a viewer joined its room and before the read for that viewer has ended. They follow
 * the result of the read in their order, without what the viewer has by then. Where they exceed what a socket may have waiting
 * (VIEW-4), none is kept: the viewer is too far behind and takes a snapshot. Pure.
 *
 *   holding -- frame --> holding, or overfull where it is one too many
 *   overfull -- frame --> overfull
 */
import { type LiveFrame, lastSeqOf, type SessionView, type StoredEvent } from '@roundhouse/backend-types'

export type RoomFrame =
  | { event: 'events'; events: StoredEvent[] }
  | { event: 'live'; frames: LiveFrame[] }
  | { event: 'session'; view: SessionView }

/** The result of the read, and the open blocks as they are when the frames are sent. */
export interface ReadFirst {
  /** The viewer's cursor: nothing up to it is wanted. */
  after: number
  events: readonly StoredEvent[]
  view: SessionView | undefined
  blocks: LiveFrame[]
}

export interface HoldLimit {
  frames: number
  bytes: number
}

export class HeldFrames {
  readonly #limit: HoldLimit
  #frames: RoomFrame[] = []
  #bytes = 0
  #isOverfull = false

  constructor(limit: HoldLimit) {
    this.#limit = limit
  }

  get isOverfull(): boolean {
    return this.#isOverfull
  }

  take(frame: RoomFrame): void {
    if (this.#isOverfull) return
    this.#frames.push(frame)
    this.#bytes += sizeOf(frame)
    this.#isOverfull = this.#frames.length > this.#limit.frames || this.#bytes > this.#limit.bytes
    if (this.#isOverfull) this.#frames = []
  }

  /** Everything that the viewer gets, in order. Live text comes last: it belongs to turns that the events before it began. */
  release({ after, events, view, blocks }: ReadFirst): RoomFrame[] {
    const frames: RoomFrame[] = []
    const live: LiveFrame[] = [...blocks]
    let [seq, rev] = [endOf(events, after), view?.rev ?? -1]
    if (events.length > 0) frames.push({ event: 'events', events: [...events] })
    if (view) frames.push({ event: 'session', view })
    for (const held of this.#frames) {
      if (held.event === 'live') live.push(...held.frames.filter((frame) => isNews(frame, blocks)))
      if (held.event === 'session' && held.view.rev > rev) {
        rev = held.view.rev
        frames.push(held)
      }
      const fresh = held.event === 'events' ? held.events.filter((event) => lastSeqOf(event) > seq) : []
      if (fresh.length === 0) continue
      seq = endOf(fresh, seq)
      frames.push({ event: 'events', events: fresh })
    }
    return live.length > 0 ? [...frames, { event: 'live', frames: live }] : frames
  }
}

function endOf(events: readonly StoredEvent[], before: number): number {
  const last = events.at(-1)
  return last ? lastSeqOf(last) : before
}

/** Drops text of blocks that are not open any more. A block that was taken back is told. */
function isNews({ blockId, offset, text, discarded }: LiveFrame, blocks: readonly LiveFrame[]): boolean {
  if (discarded) return true
  const open = blocks.filter((block) => block.blockId === blockId)
  const length = Math.max(...open.map((block) => block.offset + block.text.length))
  return open.length > 0 && offset + text.length > length
}

function sizeOf(frame: RoomFrame): number {
  switch (frame.event) {
    case 'events':
      return frame.events.reduce((sum, event) => sum + event.body.length + 200, 0)
    case 'live':
      return frame.frames.reduce((sum, { text }) => sum + text.length + 200, 0)
    case 'session':
      return JSON.stringify(frame.view).length
  }
}
