/**
 * The `/viewer` socket, typed. It reconnects by itself with jitter and never buffers an emit while disconnected:
 * whoever watches asks again after every `connect` (the log is the truth, the socket a doorbell).
 */
import {
  CodedError,
  type FrameOf,
  fromErrorBody,
  type HubToViewer,
  type Reply,
  type ReplyTo,
  readFrame,
  type ViewerToHub,
  viewerToHub,
} from '@roundhouse/backend-types'
import { io, type Socket } from 'socket.io-client'
import { HeardFrames } from './heard-frames'
import type { Prover } from './prover'
import { retryDelayMs } from './retry-delay'

export type LinkState =
  | { state: 'connecting' }
  | { state: 'live' }
  /** `retryAt`: when it is tried again; in the past while it is being tried. Milliseconds of this machine's clock. */
  | { state: 'reconnecting'; since: number; attempt: number; retryAt: number }
  | { state: 'refused'; code: string }

export interface ViewerSocketOptions {
  baseUrl: string
  headers?: () => Record<string, string>
  prover?: Prover
  now?: () => number
}

type Rows = typeof viewerToHub

const ASK_TIMEOUT_MS = 10_000

export class ViewerSocket {
  readonly #socket: Socket<HubToViewer, ViewerToHub>
  readonly #listeners = new Set<(state: LinkState) => void>()
  readonly #heard = new HeardFrames()
  readonly #now: () => number
  #state: LinkState = { state: 'connecting' }
  #retry: ReturnType<typeof setTimeout> | undefined
  /** A proof was refused as stale, and one with the newer nonce is on its way. */
  #provesAgain = false

  constructor(options: ViewerSocketOptions) {
    const { prover } = options
    this.#now = options.now ?? Date.now
    this.#socket = io(`${options.baseUrl}/viewer`, {
      transports: ['websocket'],
      // Ours, so that people can see when it is tried again, and say that it should be now.
      reconnection: false,
      forceNew: true,
      ...(options.headers ? { extraHeaders: options.headers() } : {}),
      ...(prover ? { auth: (show: (auth: object) => void) => void proveTo(prover, show) } : {}),
    })
    for (const name of HeardFrames.names) {
      this.#socket.on(name, ((frame: unknown) => this.#heard.hear(name, frame)) as never)
    }
    this.#socket.on('connect', () => {
      this.#provesAgain = false
      this.#set({ state: 'live' })
    })
    this.#socket.on('disconnect', () => this.#retryLater())
    this.#socket.on('connect_error', (error: Error & { data?: { nonce?: unknown } }) => {
      prover?.hear(error.data?.nonce)
      if (this.#socket.active) this.#retryLater()
      else if (error.message === 'PROOF_STALE' && !this.#provesAgain) this.#proveAgain()
      // INTERNAL: the hub could not find out who this is. RATE_LIMITED: this login has too many connections now.
      else if (['PROOF_STALE', 'INTERNAL', 'RATE_LIMITED'].includes(error.message)) this.#retryLater()
      else this.#set({ state: 'refused', code: error.message })
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

  /** Every frame was checked before (`heard-frames.ts`). Returns the way to stop. */
  on<E extends keyof HubToViewer>(event: E, listener: (frame: FrameOf<HubToViewer, E>) => void): () => void {
    return this.#heard.on(event, listener)
  }

  /** Tries again at once, if it is waiting to. */
  retryNow(): void {
    if (this.#state.state !== 'reconnecting' || this.#state.retryAt <= this.#now()) return
    clearTimeout(this.#retry)
    this.#set({ ...this.#state, retryAt: this.#now() })
    this.#socket.connect()
  }

  /** Asks, waits for the reply and checks it. Errors: the hub's own, `QUESTION_TIMEOUT`, or `MALFORMED_FRAME`. */
  async ask<E extends keyof ViewerToHub>(event: E, body: FrameOf<ViewerToHub, E>): Promise<ReplyTo<Rows[E]>> {
    if (!this.#socket.connected) throw new CodedError('QUESTION_TIMEOUT', 'The page is not connected to the hub.')
    const socket = this.#socket.timeout(ASK_TIMEOUT_MS) as unknown as {
      emitWithAck(event: string, body: unknown): Promise<Reply>
    }
    const reply = await socket.emitWithAck(event, body).catch((cause: unknown) => {
      throw new CodedError('QUESTION_TIMEOUT', 'The hub did not answer in time.', undefined, cause)
    })
    if (!reply.ok) throw fromErrorBody(reply.error)
    return readFrame(viewerToHub[event].reply, reply) as ReplyTo<Rows[E]>
  }

  /** The hub said elsewhere that this login is gone: does not connect again. */
  refuse(code: string): void {
    this.#end()
    this.#set({ state: 'refused', code })
  }

  close(): void {
    this.#listeners.clear()
    this.#end()
  }

  #end(): void {
    clearTimeout(this.#retry)
    this.#socket.removeAllListeners()
    this.#socket.disconnect()
  }

  #proveAgain(): void {
    this.#provesAgain = true
    this.#socket.disconnect().connect() // on a connection of its own: the hub closes the one that it refused
  }

  #retryLater(): void {
    const before = this.#state.state === 'reconnecting' ? this.#state : null
    const attempt = before ? before.attempt + 1 : 0
    const delay = retryDelayMs(attempt, Math.random())
    clearTimeout(this.#retry)
    this.#retry = setTimeout(() => this.#socket.connect(), delay)
    this.#set({ state: 'reconnecting', since: before?.since ?? this.#now(), attempt, retryAt: this.#now() + delay })
  }

  #set(state: LinkState): void {
    this.#state = state
    for (const listener of this.#listeners) listener(state)
  }
}

async function proveTo(prover: Prover, show: (auth: object) => void): Promise<void> {
  show(await prover.socketAuth().catch(() => ({})))
}
