/**
 * One watched session: runs the state machine that decides (`ViewerSync` of the kernel) on REST, the socket and timers.
 * `onEvents` gets each event once, in order, without holes; `onReset` starts over from a fresh snapshot (too far behind, or the
 * hub was restored).
 */
import {
  type CodedError,
  type SessionView,
  type Snapshot,
  type StoredEvent,
  toCodedError,
} from '@roundhouse/backend-types'
import {
  type LiveBlocks,
  openViewer,
  type ViewerEffect,
  type ViewerEvent,
  type ViewerRules,
  type ViewerStep,
  type ViewerSync,
  viewerRules,
  viewerStep,
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

/** How one effect is carried out. */
type Run = { [D in ViewerEffect['do']]: (effect: Extract<ViewerEffect, { do: D }>) => void }

export class SessionWatch {
  readonly #sessionId: string
  readonly #rest: HubRest
  readonly #stops: Array<() => void>
  readonly #timers = new Set<ReturnType<typeof setTimeout>>()
  readonly #run: Run
  #sync: ViewerSync

  constructor(sessionId: string, rest: HubRest, socket: ViewerSocket, handlers: SessionWatchHandlers) {
    this.#sessionId = sessionId
    this.#rest = rest
    this.#run = {
      fetchSnapshot: ({ ask }) =>
        this.#answered(
          rest.snapshot(sessionId),
          (snapshot) => ({ kind: 'snapshotCame', ask, snapshot }),
          (error) => ({ kind: 'snapshotFailed', ask, error }),
        ),
      watch: ({ ask, afterSeq, hubEpoch }) =>
        this.#answered(
          socket.ask('watch', { sessionId, afterSeq, hubEpoch }),
          (reply) => ({ kind: 'watchAnswered', ask, reply }),
          (error) => ({ kind: 'watchFailed', ask, error }),
        ),
      fetchRange: ({ ask, after, limit }) =>
        this.#answered(
          rest.events(sessionId, { after, limit }),
          (page) => ({ kind: 'rangeFetched', ask, page }),
          (error) => ({ kind: 'rangeFailed', ask, error }),
        ),
      askBlock: ({ opened, blockId, from }) =>
        this.#answered(
          socket.ask('block.get', { sessionId, blockId, from }),
          (reply) => ({ kind: 'blockCame', opened, block: { ...reply, blockId } }),
          () => ({ kind: 'blockFailed', opened, blockId }),
        ),
      unwatch: () => void socket.ask('unwatch', { sessionId }).catch(() => {}),
      wait: ({ ms, next }) => this.#later(ms, next),
      reset: ({ snapshot }) => handlers.onReset(snapshot, snapshot.events.map(seen)),
      deliver: ({ events }) => handlers.onEvents(events.map(seenOnce)),
      showView: ({ view }) => handlers.onSession(view),
      showBlocks: ({ blocks }) => handlers.onBlocks(blocks),
      showProgress: ({ at, head }) => handlers.onProgress?.(at, head),
      refuse: ({ error }) => handlers.onRefused(error),
    }
    const begun = openViewer()
    this.#sync = begun.sync
    const ours = (of: { sessionId: string }, event: ViewerEvent) => of.sessionId === sessionId && this.#hear(event)
    this.#stops = [
      socket.on('events', (batch) => ours(batch, { kind: 'eventsCame', events: batch.events })),
      socket.on('live', (batch) => ours(batch, { kind: 'framesCame', frames: batch.frames })),
      socket.on('session', (view) => ours(view, { kind: 'viewCame', view })),
      socket.on('lagged', (lagged) => ours(lagged, { kind: 'headCame', head: lagged.head })),
      socket.on('heads', ({ heads }) => {
        const head = heads[sessionId]
        if (head !== undefined) this.#hear({ kind: 'headCame', head })
      }),
      socket.onState(({ state }) => this.#hear({ kind: state === 'live' ? 'connected' : 'disconnected' })),
    ]
    this.#take({ sync: this.#sync, effects: begun.effects })
  }

  /** Older events than the first one known, oldest first. */
  async older(before: number, limit: number): Promise<{ events: SeenEvent[]; more: boolean }> {
    const page = await this.#rest.events(this.#sessionId, { before, limit })
    return { events: page.events.map(seen), more: page.more }
  }

  close(): void {
    for (const stop of this.#stops) stop()
    for (const timer of this.#timers) clearTimeout(timer)
    this.#hear({ kind: 'closed' })
  }

  #hear(event: ViewerEvent): void {
    this.#take(viewerStep(this.#sync, event, rules))
  }

  #take({ sync, effects }: ViewerStep): void {
    this.#sync = sync
    for (const effect of effects) {
      // A handler closed the watch.
      if (this.#sync.phase === 'closed' && sync.phase !== 'closed') return
      const run = this.#run[effect.do] as (effect: ViewerEffect) => void
      run(effect)
    }
  }

  #answered<A>(answer: Promise<A>, came: (answer: A) => ViewerEvent, failed: (error: CodedError) => ViewerEvent): void {
    void answer.then(came, (thrown: unknown) => failed(toCodedError(thrown))).then((event) => this.#hear(event))
  }

  #later(ms: number, next: ViewerEvent): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      this.#hear(next)
    }, ms)
    this.#timers.add(timer)
  }
}

/** The machine reads a body, and then the page does. */
const read = new WeakMap<StoredEvent, SeenEvent>()
function seenOnce(stored: StoredEvent): SeenEvent {
  const known = read.get(stored) ?? seen(stored)
  read.set(stored, known)
  return known
}

const rules: ViewerRules = {
  ...viewerRules,
  eventOf: (stored) => {
    const { event } = seenOnce(stored)
    return event && isSessionEvent(event) ? event : null
  },
}
