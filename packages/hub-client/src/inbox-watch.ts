/** A person's inbox, kept current: fetched once, and again whenever the hub says that something is newer (VIEW-7). */
import type { Inbox } from '@roundhouse/backend-types'
import type { HubRest } from './rest'
import type { ViewerSocket } from './viewer-socket'

export interface InboxWatchHandlers {
  onInbox(inbox: Inbox): void
  /** Something changed: lists of sessions are stale. */
  onChange?(): void
  /** An agent came, went or changed: lists of agents are stale. */
  onAgents?(agentId: string): void
  /** A peer of the bus changed, or waits for an answer. */
  onPeers?(): void
  /** From here on every change is told. Lists that were read before may miss one. */
  onWatching?(): void
}

const RETRY_MS = 1_000
/** While changes keep coming it rests between two fetches: so many times as long as the last one took, and no longer. */
const REST = { times: 4, atMostMs: 1_000 }

export class InboxWatch {
  readonly #rest: HubRest
  readonly #socket: ViewerSocket
  readonly #handlers: InboxWatchHandlers
  readonly #stops: Array<() => void>
  #rev = -1
  #closed = false
  #fetching = false
  #again = false
  #resting: ReturnType<typeof setTimeout> | undefined

  constructor(rest: HubRest, socket: ViewerSocket, handlers: InboxWatchHandlers) {
    this.#rest = rest
    this.#socket = socket
    this.#handlers = handlers
    this.#stops = [
      socket.on('inbox', ({ rev }) => {
        handlers.onChange?.()
        if (rev > this.#rev) void this.#fetch()
      }),
      socket.on('agents', ({ agentId }) => handlers.onAgents?.(agentId)),
      socket.on('peers', () => handlers.onPeers?.()),
      socket.onState((state) => state.state === 'live' && void this.#join()),
    ]
    void this.#fetch()
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#resting)
    for (const stop of this.#stops) stop()
  }

  async #join(): Promise<void> {
    try {
      const { rev } = await this.#socket.ask('watch.inbox', {})
      if (this.#closed) return
      this.#handlers.onWatching?.()
      if (rev !== this.#rev) await this.#fetch()
    } catch {
      if (!this.#closed) setTimeout(() => this.#socket.state.state === 'live' && void this.#join(), RETRY_MS)
    }
  }

  /** One fetch at a time; changes that come meanwhile ask for one more. A hub that is slow is asked less often. */
  async #fetch(): Promise<void> {
    if (this.#fetching || this.#resting) {
      this.#again = true
      return
    }
    this.#fetching = true
    const begun = performance.now()
    try {
      const inbox = await this.#rest.inbox()
      if (this.#closed) return
      this.#rev = inbox.rev
      this.#handlers.onInbox(inbox)
    } catch {
      if (!this.#closed) setTimeout(() => void this.#fetch(), RETRY_MS)
    } finally {
      this.#fetching = false
      if (!this.#closed) this.#pause(performance.now() - begun)
    }
  }

  #pause(tookMs: number): void {
    this.#resting = setTimeout(
      () => {
        this.#resting = undefined
        if (!this.#again) return
        this.#again = false
        void this.#fetch()
      },
      Math.min(REST.times * tookMs, REST.atMostMs),
    )
  }
}
