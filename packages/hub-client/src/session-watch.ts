/**
 * One watched session: snapshot first, then the socket from where the snapshot ended, every hole filled over REST
 * (VIEW-1..6). Whatever the network does, `onEvents` gives each event once, in order, without holes; `onReset` starts over
 * from a fresh snapshot (too far behind, or the hub was restored).
 */
import {
  type CodedError,
  type LiveFrame,
  type OpenBlock,
  type SessionView,
  type Snapshot,
  type StoredEvent,
  toCodedError,
} from '@roundhouse/backend-types'
import {
  applyFrame,
  applyText,
  closeBlocks,
  emptyBlocks,
  type LiveBlocks,
  openCursor,
  receiveEvents,
  receiveHead,
  type ViewCursor,
  withoutAnswer,
} from '@roundhouse/delivery'
import type { HubRest } from './rest'
import { isSessionEvent, type SeenEvent, seen } from './seen-event'
import type { ViewerSocket } from './viewer-socket'

export interface SessionWatchHandlers {
  onReset(snapshot: Snapshot, events: SeenEvent[]): void
  /** New events, dense after the last ones. */
  onEvents(events: SeenEvent[]): void
  onSession(view: SessionView): void
  onBlocks(blocks: LiveBlocks): void
  /** Catching up: how far this viewer is and where the head is. Equal when live. */
  onProgress?(at: number, head: number): void
  /** The session cannot be watched: it was deleted, or is not this person's. One that was shown before may come back by `onReset`. */
  onRefused(error: CodedError): void
}

const PAGE = 500
const RETRY_MS = 1_000
/** A hub that was restored has a newer session again as soon as its machine has sent it. */
const LOST_RETRY_MS = 2_000
const LONGEST_RETRY_MS = 30_000

export class SessionWatch {
  readonly #sessionId: string
  readonly #rest: HubRest
  readonly #socket: ViewerSocket
  readonly #handlers: SessionWatchHandlers
  readonly #stops: Array<() => void> = []
  #cursor: ViewCursor | null = null
  #blocks: LiveBlocks = emptyBlocks()
  #viewRev = -1
  #head = 0
  #filling = false
  #closed = false
  #lostTries = 0
  /** Changes at each reset, so that an answer to an older question is dropped. */
  #era = 0

  constructor(sessionId: string, rest: HubRest, socket: ViewerSocket, handlers: SessionWatchHandlers) {
    this.#sessionId = sessionId
    this.#rest = rest
    this.#socket = socket
    this.#handlers = handlers
    this.#stops.push(
      socket.on('events', (batch) => batch.sessionId === sessionId && this.#receive(batch.events)),
      socket.on('live', (batch) => batch.sessionId === sessionId && this.#live(batch.frames)),
      socket.on('session', (view) => view.sessionId === sessionId && this.#view(view)),
      socket.on('heads', ({ heads }) => this.#seeHead(heads[sessionId])),
      socket.on('lagged', (lagged) => lagged.sessionId === sessionId && this.#seeHead(lagged.head)),
      socket.onState((state) => state.state === 'live' && this.#cursor && void this.#watch()),
    )
    void this.#reset()
  }

  /** Older events than the first one known, oldest first. */
  async older(before: number, limit: number): Promise<{ events: SeenEvent[]; more: boolean }> {
    const page = await this.#rest.events(this.#sessionId, { before, limit })
    return { events: page.events.map(seen), more: page.more }
  }

  close(): void {
    this.#closed = true
    for (const stop of this.#stops) stop()
    if (this.#socket.state.state === 'live')
      void this.#socket.ask('unwatch', { sessionId: this.#sessionId }).catch(() => {})
  }

  async #reset(): Promise<void> {
    const era = ++this.#era
    try {
      const snapshot = await this.#rest.snapshot(this.#sessionId)
      if (this.#closed || era !== this.#era) return
      this.#lostTries = 0
      this.#cursor = openCursor(snapshot.hubEpoch, snapshot.head)
      this.#head = snapshot.head
      this.#viewRev = snapshot.session.rev
      this.#blocks = blocksOf(snapshot)
      this.#handlers.onReset(snapshot, snapshot.events.map(seen))
      this.#handlers.onBlocks(this.#blocks)
      if (this.#socket.state.state === 'live') await this.#watch()
    } catch (error) {
      this.#failed(error, era, () => this.#reset())
    }
  }

  async #watch(): Promise<void> {
    const cursor = this.#cursor
    const era = this.#era
    if (!cursor || this.#closed) return
    try {
      const ask = { sessionId: this.#sessionId, afterSeq: cursor.last, hubEpoch: cursor.hubEpoch }
      const reply = await this.#socket.ask('watch', ask)
      if (this.#closed || era !== this.#era) return
      if (reply.tooFar || reply.hubEpoch !== cursor.hubEpoch) return await this.#reset()
      this.#seeHead(reply.head)
    } catch (error) {
      this.#failed(error, era, () => this.#watch())
    }
  }

  #receive(events: StoredEvent[]): void {
    if (!this.#cursor) return
    const step = receiveEvents(this.#cursor, events)
    this.#cursor = step.cursor
    this.#deliver(step.apply)
    const tail = events.at(-1)
    if (tail) this.#head = Math.max(this.#head, tail.to ?? tail.seq)
    if (step.missing) void this.#fill()
  }

  #deliver(stored: StoredEvent[]): void {
    if (stored.length === 0) return
    const before = this.#blocks
    const events = stored.map(seen)
    for (const { event, seq } of events) {
      if (event && isSessionEvent(event)) this.#blocks = closeBlocks(this.#blocks, event, seq)
    }
    this.#handlers.onEvents(events)
    if (this.#blocks !== before) this.#handlers.onBlocks(this.#blocks)
    this.#handlers.onProgress?.(this.#cursor?.last ?? 0, this.#head)
  }

  #seeHead(head: number | undefined): void {
    if (head === undefined || !this.#cursor) return
    this.#head = Math.max(this.#head, head)
    if (receiveHead(this.#cursor, head)) void this.#fill()
  }

  /** Reads over HTTP until nothing is missing. One reader at a time. */
  async #fill(): Promise<void> {
    if (this.#filling || this.#closed) return
    this.#filling = true
    const era = this.#era
    try {
      while (this.#cursor && this.#cursor.last < this.#head && era === this.#era && !this.#closed) {
        const page = await this.#rest.events(this.#sessionId, { after: this.#cursor.last, limit: PAGE })
        if (era !== this.#era || this.#closed) return
        if (page.hubEpoch !== this.#cursor.hubEpoch) return void this.#reset()
        if (page.events.length === 0) break
        this.#head = Math.max(this.#head, page.head)
        const step = receiveEvents(this.#cursor, page.events)
        this.#cursor = step.cursor
        this.#deliver(step.apply)
      }
    } catch (error) {
      this.#failed(error, era, () => this.#fill())
    } finally {
      this.#filling = false
    }
  }

  #live(frames: LiveFrame[]): void {
    for (const frame of frames) {
      const { blocks, ask } = applyFrame(this.#blocks, frame)
      this.#blocks = blocks
      if (ask) void this.#askBlock(ask)
    }
    this.#handlers.onBlocks(this.#blocks)
  }

  async #askBlock(ask: { blockId: string; from: number }): Promise<void> {
    const era = this.#era
    try {
      const reply = await this.#socket.ask('block.get', { sessionId: this.#sessionId, ...ask })
      if (era !== this.#era || this.#closed) return
      this.#blocks = applyText(this.#blocks, { blockId: ask.blockId, from: reply.from, text: reply.text })
      this.#handlers.onBlocks(this.#blocks)
    } catch {
      // A later frame asks again. The finished block follows through the log, so a missing piece is no loss.
      this.#later(RETRY_MS, async () => {
        this.#blocks = withoutAnswer(this.#blocks, ask.blockId)
      })
    }
  }

  #view(view: SessionView): void {
    if (view.rev < this.#viewRev) return
    this.#viewRev = view.rev
    this.#handlers.onSession(view)
  }

  #failed(thrown: unknown, era: number, again: () => Promise<void>): void {
    if (this.#closed || era !== this.#era) return
    const error = toCodedError(thrown)
    const final = ['SESSION_NOT_FOUND', 'NOT_FOUND', 'FORBIDDEN', 'SESSION_DELETED', 'AUTH_REQUIRED'].includes(
      error.code,
    )
    if (!final) {
      this.#later(RETRY_MS, again)
      return
    }
    this.#handlers.onRefused(error)
    if (!this.#cursor || !['SESSION_NOT_FOUND', 'NOT_FOUND'].includes(error.code)) return
    this.#later(Math.min(LOST_RETRY_MS * 2 ** this.#lostTries, LONGEST_RETRY_MS), () => this.#reset())
    this.#lostTries += 1
  }

  #later(ms: number, again: () => Promise<void>): void {
    const era = this.#era
    setTimeout(() => !this.#closed && era === this.#era && void again(), ms)
  }
}

/** The kept end of a long block begins at `from`: an empty frame opens it, the text follows as an answer would. */
function blocksOf(snapshot: Snapshot): LiveBlocks {
  let blocks = emptyBlocks()
  for (const open of snapshot.openBlocks) {
    blocks = applyFrame(blocks, frameOf(snapshot.session.sessionId, open)).blocks
    blocks = applyText(blocks, open)
  }
  return blocks
}

function frameOf(sessionId: string, open: OpenBlock): LiveFrame {
  const { length: _length, ...about } = open
  return { ...about, sessionId, offset: 0, text: '' }
}
