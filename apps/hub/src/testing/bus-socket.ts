/** A program of a test on the `/events` socket: everything it hears, in order. */
import type { BusDelivery, BusMessage, ErrorBody } from '@roundhouse/backend-types'
import { io, type Socket } from 'socket.io-client'
import { Waiter } from './waiter'

export type BusReply = { ok: boolean; error?: ErrorBody } & Record<string, unknown>

export class BusSocket {
  readonly socket: Socket
  readonly waiter = new Waiter()
  readonly heard: BusMessage[] = []
  next = 0
  refusal: string | null = null
  ended: string | null = null

  constructor(url: string, token: string) {
    this.socket = io(`${url}/events`, {
      transports: ['websocket'],
      reconnection: false,
      forceNew: true,
      extraHeaders: { authorization: `Bearer ${token}` },
    })
    this.socket.on('message', ({ messages, next }: BusDelivery) => {
      this.heard.push(...messages)
      this.next = next
      this.waiter.look()
    })
    this.socket.on('connect', () => this.waiter.look())
    this.socket.on('connect_error', ({ message }) => {
      this.refusal = message
      this.waiter.look()
    })
    this.socket.on('disconnect', (why) => {
      this.ended = why
      this.waiter.look()
    })
  }

  /** Connected, and greeted. */
  static async open(url: string, token: string, hello: object = {}): Promise<BusSocket> {
    const opened = new BusSocket(url, token)
    await opened.until(() => opened.socket.connected || opened.refusal !== null)
    if (opened.refusal !== null) throw new Error(opened.refusal)
    await opened.ask('hello', hello)
    return opened
  }

  ask(event: string, frame: unknown): Promise<BusReply> {
    return this.socket.timeout(10_000).emitWithAck(event, frame)
  }

  until(test: () => boolean): Promise<void> {
    return this.waiter.until(test)
  }

  close(): void {
    this.socket.disconnect()
  }

  /** As a process that was killed. */
  break(): void {
    this.socket.io.engine.close()
  }
}
