/**
 * The WebSocket frames of a connection, counted before they are read (WEB-2, FLOW-6): pings, fragments and what nobody takes, too.
 * One that is too many ends the connection, and nothing behind it is parsed. A connection reads a few frames in a turn of the event
 * loop. What waits for a peer that does not read is bounded.
 *
 *   nobody's -- refused a namespace, or one frame too many --> ended
 *   nobody's -- entered --> somebody's -- left, refused another, one frame too many, or too much unread --> ended
 */
import type { Socket } from 'engine.io'
import { type Budget, TokenBucket } from '../../core'

/** It says which namespace it enters, and as whom: nothing longer is received for it. */
const BEFORE_ENTERING_BYTES = 16_384
const BEFORE_ENTERING: Budget = { burst: 16, perSecond: 0 }
/** Of WebSocket itself. Neither pages nor machines send any: their heartbeat is a message. */
const PINGS: Budget = { burst: 32, perSecond: 1 }
const FRAMES_IN_A_TURN = 64
/** Beyond this a ping is not answered. */
const PONG_BEHIND_BYTES = 65_536
export const MOST_UNREAD_BYTES = 67_108_864
/** What a waiting packet takes beside its text. */
const PACKET_BYTES = 200

/** The library takes one limit for all connections; each connection's receiver has its own. */
interface Receiver {
  _bufferedBytes: number
  _maxPayload: number
  _allowSynchronousEvents: boolean
  /** Reads the header of a frame. */
  getInfo(done: (error: Error) => void): void
  /** Also stops reading. */
  createError(type: ErrorConstructor, message: string, prefix: boolean, status: number, code: string): Error
}

interface WebSocket {
  _receiver: Receiver
  _autoPong: boolean
  bufferedAmount: number
  on(event: 'ping', listener: (data: Buffer) => void): void
  pong(data: Buffer, mask: boolean, done: () => void): void
  terminate(): void
}

interface Packet {
  type: string
  data?: unknown
}

const known = new WeakMap<Socket, RawFrames>()

export class RawFrames {
  readonly #connection: Socket
  readonly #socket: WebSocket
  readonly #pings: TokenBucket
  #frames: TokenBucket
  #namespaces = 0
  #inTurn = 0
  #isOver = false
  /** Size of the packets that the library has not given to the socket yet. */
  #waitingBytes = 0
  #onFlood = () => {}

  static of(connection: Socket): RawFrames {
    const frames = known.get(connection) ?? new RawFrames(connection)
    known.set(connection, frames)
    return frames
  }

  private constructor(connection: Socket) {
    this.#connection = connection
    this.#socket = (connection.transport as unknown as { socket: WebSocket }).socket
    this.#pings = new TokenBucket(PINGS, performance.now())
    this.#frames = new TokenBucket(BEFORE_ENTERING, performance.now())
    this.#socket._receiver._maxPayload = BEFORE_ENTERING_BYTES
    this.#countReceived()
    this.#answerPings()
    this.#countSent()
  }

  /** It has entered a namespace. The budget is that of the connection, however often it enters. */
  entered({ bytes, frames }: { bytes: number; frames: Budget }): void {
    this.#namespaces += 1
    if (this.#namespaces > 1) return
    this.#socket._receiver._maxPayload = bytes
    this.#frames = new TokenBucket(frames, performance.now())
  }

  /** Whoever is in no namespace any more is nobody, and no connection of nobody is kept. */
  left(): void {
    this.#namespaces -= 1
    if (this.#namespaces === 0) this.#close()
  }

  /** Before a connection that has entered is ended for what it sent, or did not read. */
  onFlood(told: () => void): void {
    this.#onFlood = told
  }

  #countReceived(): void {
    const receiver = this.#socket._receiver
    const readHeader = receiver.getInfo.bind(receiver)
    receiver.getInfo = (done) => {
      if (receiver._bufferedBytes >= 2 && !this.#counts()) {
        done(receiver.createError(RangeError, 'Too many frames', false, 1008, 'TOO_MANY_FRAMES'))
        return
      }
      readHeader(done)
    }
  }

  #counts(): boolean {
    if (!this.#isOver && this.#frames.take(1, performance.now()) !== 0) this.#end()
    if (this.#isOver) return false
    this.#inTurn += 1
    if (this.#inTurn === FRAMES_IN_A_TURN) this.#waitForTurn()
    return true
  }

  /** The receiver hands over the frame that it reads now in the next turn, and goes on from there. */
  #waitForTurn(): void {
    const receiver = this.#socket._receiver
    receiver._allowSynchronousEvents = false
    setImmediate(() => {
      this.#inTurn = 0
      receiver._allowSynchronousEvents = true
    })
  }

  #answerPings(): void {
    this.#socket._autoPong = false
    this.#socket.on('ping', (data) => {
      if (this.#pings.take(1, performance.now()) !== 0) this.#end()
      else if (this.#socket.bufferedAmount < PONG_BEHIND_BYTES) this.#socket.pong(data, false, () => {})
    })
  }

  #countSent(): void {
    this.#connection.on('flush', () => {
      this.#waitingBytes = 0
    })
    this.#connection.on('packetCreate', ({ type, data }: Packet) => {
      const text = typeof data === 'string' ? data : ''
      this.#waitingBytes += PACKET_BYTES + text.length
      if (this.#waitingBytes + this.#socket.bufferedAmount > MOST_UNREAD_BYTES) this.#end()
      if (type === 'message' && isRefusal(text)) this.#close()
    })
  }

  /** What was said last still leaves. */
  #close(): void {
    if (this.#isOver) return
    this.#isOver = true
    setImmediate(() => this.#connection.close())
  }

  #end(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#onFlood()
    setImmediate(() => this.#socket.terminate())
  }
}

/** A namespace does not exist, or does not let this connection in. */
const isRefusal = (packet: string) => packet.startsWith('4')
