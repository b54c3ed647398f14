/**
 * The `/viewer` socket, typed. It reconnects by itself with jitter and never buffers an emit while disconnected:
 * whoever watches asks again after every `connect` (the log is the truth, the socket a doorbell).
 */
import { CodedError, fromErrorBody, type HubToViewer, type Reply, type ViewerToHub } from '@roundhouse/backend-types'
import { io, type Socket } from 'socket.io-client'

export type LinkState =
  | { state: 'connecting' }
  | { state: 'live' }
  | { state: 'reconnecting'; since: number; attempt: number }
  | { state: 'refused'; code: string }

export interface ViewerSocketOptions {
  baseUrl: string
  headers?: () => Record<string, string>
  now?: () => number
}

type Asked<E extends keyof ViewerToHub> = Parameters<ViewerToHub[E]>[0]
type Answered<E extends keyof ViewerToHub> = Parameters<ViewerToHub[E]>[1] extends (reply: infer R) => void
  ? Extract<R, { ok: true }>
  : never

const ASK_TIMEOUT_MS = 10_000

export class ViewerSocket {
  readonly #socket: Socket<HubToViewer, ViewerToHub>
  readonly #listeners = new Set<(state: LinkState) => void>()
  #state: LinkState = { state: 'connecting' }

  constructor(options: ViewerSocketOptions) {
    const now = options.now ?? Date.now
    this.#socket = io(`${options.baseUrl}/viewer`, {
      transports: ['websocket'],
      reconnectionDelay: 500,
      reconnectionDelayMax: 10_000,
      randomizationFactor: 0.5,
      forceNew: true,
      ...(options.headers ? { extraHeaders: options.headers() } : {}),
    })
    this.#socket.on('connect', () => this.#set({ state: 'live' }))
    this.#socket.on('disconnect', (reason) => {
      this.#set({ state: 'reconnecting', since: now(), attempt: 0 })
      if (reason === 'io server disconnect') this.#socket.connect()
    })
    this.#socket.on('connect_error', (error) => {
      if (this.#socket.active) {
        const before = this.#state
        const since = before.state === 'reconnecting' ? before.since : now()
        const attempt = before.state === 'reconnecting' ? before.attempt + 1 : 1
        this.#set({ state: 'reconnecting', since, attempt })
      } else this.#set({ state: 'refused', code: error.message })
    })
  }

  get state(): LinkState {
    return this.#state
  }

  /** Called at once with the present state and at every change. Returns the way to stop. */
  onState(listener: (state: LinkState) => void): () => void {
    this.#listeners.add(listener)
    listener(this.#state)
    return () => this.#listeners.delete(listener)
  }

  on<E extends keyof HubToViewer>(event: E, listener: HubToViewer[E]): () => void {
    this.#socket.on(event, listener as never)
    return () => this.#socket.off(event, listener as never)
  }

  /** Asks and waits for the reply. Errors: the hub's own, or `QUESTION_TIMEOUT`. */
  async ask<E extends keyof ViewerToHub>(event: E, body: Asked<E>): Promise<Answered<E>> {
    if (!this.#socket.connected) throw new CodedError('QUESTION_TIMEOUT', 'The page is not connected to the hub.')
    const socket = this.#socket.timeout(ASK_TIMEOUT_MS) as unknown as {
      emitWithAck(event: string, body: unknown): Promise<Reply>
    }
    const reply = await socket.emitWithAck(event, body).catch((cause: unknown) => {
      throw new CodedError('QUESTION_TIMEOUT', 'The hub did not answer in time.', undefined, cause)
    })
    if (!reply.ok) throw fromErrorBody(reply.error)
    return reply as Answered<E>
  }

  close(): void {
    this.#listeners.clear()
    this.#socket.removeAllListeners()
    this.#socket.disconnect()
  }

  #set(state: LinkState): void {
    this.#state = state
    for (const listener of this.#listeners) listener(state)
  }
}
