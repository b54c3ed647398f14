/** A viewer for tests: the real socket, everything it hears kept in order. */
import type {
  HubToViewer,
  InboxChange,
  LiveFrame,
  Reply,
  SessionView,
  StoredEvent,
  ViewerToHub,
} from '@roundhouse/backend-types'
import { io, type Socket } from 'socket.io-client'
import { Waiter } from './waiter'

export class TestViewer {
  readonly socket: Socket
  readonly waiter = new Waiter()
  readonly events: StoredEvent[] = []
  readonly views: SessionView[] = []
  readonly live: LiveFrame[] = []
  readonly inbox: InboxChange[] = []
  readonly heads: Array<Record<string, number>> = []
  readonly lagged: number[] = []
  refusal: string | null = null

  constructor(url: string, headers: Record<string, string>, auth: Record<string, string> = {}) {
    this.socket = io(`${url}/viewer`, {
      transports: ['websocket'],
      reconnection: false,
      forceNew: true,
      extraHeaders: headers,
      auth,
    })
    const on = <E extends keyof HubToViewer>(event: E, note: (frame: Parameters<HubToViewer[E]>[0]) => void) => {
      this.socket.on(event as string, (frame: Parameters<HubToViewer[E]>[0]) => {
        note(frame)
        this.waiter.look()
      })
    }
    on('events', ({ events }) => this.events.push(...events))
    on('session', (view) => this.views.push(view))
    on('live', ({ frames }) => this.live.push(...frames))
    on('inbox', (change) => this.inbox.push(change))
    on('heads', ({ heads }) => this.heads.push(heads))
    on('lagged', ({ head }) => this.lagged.push(head))
    this.socket.on('connect_error', (error) => {
      this.refusal = error.message
      this.waiter.look()
    })
    for (const event of ['connect', 'disconnect']) this.socket.on(event, () => this.waiter.look())
  }

  get view(): SessionView {
    const view = this.views.at(-1)
    if (!view) throw new Error('no view yet')
    return view
  }

  seqs(): number[] {
    return this.events.map((event) => event.seq)
  }

  until(test: () => boolean): Promise<void> {
    return this.waiter.until(test)
  }

  connected(): Promise<void> {
    return this.until(() => this.socket.connected || this.refusal !== null)
  }

  ask<E extends keyof ViewerToHub>(
    event: E,
    frame: Parameters<ViewerToHub[E]>[0],
  ): Promise<Reply<Record<string, unknown>>> {
    return this.socket.timeout(10_000).emitWithAck(event as string, frame)
  }

  close(): void {
    this.socket.disconnect()
  }
}
