/** The hub's side of watched sessions: snapshots, pages, rooms, pushes, heads, and viewers that are too slow. */
import { type LiveFrame, lastSeqOf, type SessionView, type Snapshot, type StoredEvent } from '@roundhouse/backend-types'
import { sessionView } from '../../testing/builders'
import type { ViewerChannel } from '../viewer/viewer'
import type { Hub } from './hub'

/** An answer, or the code of a refusal. */
export type Answer<T> = T | { refused: 'SESSION_NOT_FOUND' }
export const notFound = { refused: 'SESSION_NOT_FOUND' } as const

export interface EventsPage {
  hubEpoch: string
  head: number
  events: StoredEvent[]
}

export interface Watched {
  hubEpoch: string
  head: number
  tooFar: boolean
}

/** A viewer further behind takes a snapshot (VIEW-5), and a page is no longer than this. */
const farLimit = 60
const pageLimit = 20
const revsPerStart = 1_000_000

export class ViewerRooms {
  readonly #hub: Hub
  readonly #watching = new Map<ViewerChannel, Set<string>>()
  #rev: number

  constructor(hub: Hub) {
    this.#hub = hub
    this.#rev = hub.starts * revsPerStart
  }

  accept(channel: ViewerChannel): void {
    if (this.#watching.has(channel)) return
    this.#watching.set(channel, new Set())
    const { epoch } = this.#hub.disk.durable
    channel.toClient((viewer) => viewer.welcomed(channel, epoch))
  }

  closed(channel: ViewerChannel): void {
    this.#watching.delete(channel)
  }

  closeAll(): void {
    for (const channel of this.#watching.keys()) channel.close('hub')
    this.#watching.clear()
  }

  /** VIEW-1. Only what is safe on disk is ever shown. */
  snapshot(sessionId: string, reply: (r: Answer<Snapshot>) => void): void {
    const { sessions, epoch } = this.#hub.disk.durable
    const session = sessions[sessionId]
    if (!session) {
      reply(notFound)
      return
    }
    const events = session.rows.slice(-pageLimit)
    const openBlocks = (this.#hub.agents.blocks.get(sessionId)?.open ?? []).map((block) => ({
      ...block,
      length: block.from + block.text.length,
    }))
    const more = events.length < session.rows.length
    reply({ hubEpoch: epoch, head: session.committed, session: this.#view(sessionId), openBlocks, events, more })
  }

  page(sessionId: string, after: number, limit: number, reply: (r: Answer<EventsPage>) => void): void {
    const { sessions, epoch } = this.#hub.disk.durable
    const session = sessions[sessionId]
    const page = session && { hubEpoch: epoch, head: session.committed, events: rowsAfter(session.rows, after, limit) }
    reply(page ?? notFound)
  }

  block(sessionId: string, blockId: string, from: number, reply: (r: { from: number; text: string } | null) => void) {
    const block = this.#hub.agents.blocks.get(sessionId)?.open.find((open) => open.blockId === blockId)
    reply(block && block.from <= from ? { from, text: block.text.slice(from - block.from) } : null)
  }

  /** VIEW-1: joins first, reads second, and answers last. */
  watch(
    channel: ViewerChannel,
    sessionId: string,
    cursor: { afterSeq: number; hubEpoch: string },
    reply: (r: Answer<Watched>) => void,
  ): void {
    const { sessions, epoch } = this.#hub.disk.durable
    const session = sessions[sessionId]
    if (!session) {
      reply(notFound)
      return
    }
    const { committed: head, rows } = session
    const { afterSeq } = cursor
    const tooFar = cursor.hubEpoch !== epoch || afterSeq > head || head - afterSeq > farLimit
    if (!tooFar) {
      this.#watching.get(channel)?.add(sessionId)
      const events = rowsAfter(rows, afterSeq, pageLimit)
      if (events.length > 0) channel.toClient((viewer) => viewer.events(channel, sessionId, events))
      const view = this.#view(sessionId)
      channel.toClient((viewer) => viewer.view(channel, view))
    }
    reply({ head, hubEpoch: epoch, tooFar })
  }

  /** What was committed, as one frame to everybody in the room. */
  push(sessionId: string, events: readonly StoredEvent[]): void {
    for (const channel of this.#room(sessionId)) {
      if (this.#isFull()) this.#lag(channel, sessionId)
      else if (events.length > 0) channel.toClient((viewer) => viewer.events(channel, sessionId, events))
    }
    this.pushView(sessionId)
  }

  pushView(sessionId: string): void {
    if (!this.#hub.disk.durable.sessions[sessionId]) return
    const view = this.#view(sessionId)
    for (const channel of this.#room(sessionId)) channel.toClient((viewer) => viewer.view(channel, view))
  }

  live(frame: LiveFrame): void {
    for (const channel of this.#room(frame.sessionId)) channel.toClient((viewer) => viewer.live(channel, frame))
  }

  /** VIEW-3. */
  sendHeads(): void {
    for (const [channel, watched] of this.#watching) {
      for (const sessionId of watched) this.#sendHead(channel, sessionId)
    }
  }

  #room(sessionId: string): ViewerChannel[] {
    return [...this.#watching].flatMap(([channel, watched]) => (watched.has(sessionId) ? [channel] : []))
  }

  #isFull(): boolean {
    const { rng, plan, calm } = this.#hub.world
    return !calm && rng.chance(plan.lag)
  }

  /** VIEW-4: it leaves the room, and comes back when its queue has drained. */
  #lag(channel: ViewerChannel, sessionId: string): void {
    this.#watching.get(channel)?.delete(sessionId)
    this.#sendHead(channel, sessionId)
    this.#hub.after(this.#hub.world.rng.between(10, 3_000), () => {
      const watched = this.#watching.get(channel)
      if (!watched || !this.#hub.disk.durable.sessions[sessionId]) return
      watched.add(sessionId)
      this.#sendHead(channel, sessionId)
      const view = this.#view(sessionId)
      channel.toClient((viewer) => viewer.view(channel, view))
    })
  }

  #sendHead(channel: ViewerChannel, sessionId: string): void {
    const head = this.#hub.disk.durable.sessions[sessionId]?.committed
    if (head !== undefined) channel.toClient((viewer) => viewer.head(channel, sessionId, head))
  }

  #view(sessionId: string): SessionView {
    this.#rev += 1
    return sessionView({ sessionId, rev: this.#rev, head: this.#hub.disk.durable.sessions[sessionId]?.committed ?? 0 })
  }
}

function rowsAfter(rows: readonly StoredEvent[], after: number, limit: number): StoredEvent[] {
  return rows.filter((row) => lastSeqOf(row) > after).slice(0, Math.min(limit, pageLimit))
}
