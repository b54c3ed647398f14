/**
 * A bad network between two processes, byte by byte: latency with jitter, bandwidth, small pieces, a black hole in one
 * or both directions, a reset now or after some bytes. The conditions may change while connections live.
 */
import { connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

export interface Weather {
  latencyMs?: number
  /** The most that is added, drawn again for each piece. The order of bytes stays. */
  jitterMs?: number
  bytesPerSecond?: number
  /** The largest piece in which bytes are passed on. */
  sliceBytes?: number
  /** Bytes vanish silently. */
  swallow?: boolean
  /** Resets the connection when this many bytes have passed since the conditions were set. */
  resetAfterBytes?: number
}

/** `in`: towards the server behind the proxy. */
export type Direction = 'in' | 'out'

/** Above this many waiting bytes the proxy stops reading from the sender, like a full pipe. */
const FULL_PIPE_BYTES = 262_144

/** Chooses the conditions of a connection by its first bytes. */
export type LaneOf = (firstBytes: Buffer) => string

export class TcpProxy {
  readonly #server: Server
  readonly #pairs = new Set<Pair>()
  readonly #weather = new Map<string, Weather>()
  readonly #target: () => number
  readonly #laneOf: LaneOf
  #refuses = false

  private constructor(target: () => number, laneOf: LaneOf) {
    this.#target = target
    this.#laneOf = laneOf
    this.#server = createServer((near) => this.#accept(near))
  }

  /** `target` returns the port for each connection: the server may start later, or on another port. */
  static async start(target: () => number, laneOf: LaneOf = () => ''): Promise<TcpProxy> {
    const proxy = new TcpProxy(target, laneOf)
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve))
    return proxy
  }

  get port(): number {
    const address = this.#server.address()
    if (address === null || typeof address === 'string') throw new Error('the proxy does not listen')
    return address.port
  }

  get url(): string {
    return `http://localhost:${this.port}`
  }

  get connections(): number {
    return this.#pairs.size
  }

  set(direction: Direction | 'both', weather: Weather, lane = ''): void {
    for (const one of direction === 'both' ? (['in', 'out'] as const) : [direction]) {
      this.#weather.set(`${lane} ${one}`, weather)
      for (const pair of this.#pairs) pair.passed[one] = 0
    }
  }

  /** New connections are reset at once. */
  refuse(on: boolean): void {
    this.#refuses = on
  }

  /** Resets all present connections, or those of one lane. */
  reset(lane?: string): void {
    for (const pair of [...this.#pairs]) if (lane === undefined || pair.lane === lane) this.#end(pair)
  }

  /** Restores good conditions. Swallowed bytes stay lost, so the surviving connections are reset. */
  heal(): void {
    this.#weather.clear()
    this.refuse(false)
    this.reset()
  }

  async close(): Promise<void> {
    this.reset()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #accept(near: Socket): void {
    if (this.#refuses) {
      near.resetAndDestroy()
      return
    }
    const far = connect(this.#target(), '127.0.0.1')
    const pair: Pair = { near, far, lane: null, passed: { in: 0, out: 0 }, over: false }
    this.#pairs.add(pair)
    for (const socket of [near, far]) socket.on('error', () => this.#end(pair)).on('close', () => this.#end(pair))
    this.#pipe(pair, near, far, 'in')
    this.#pipe(pair, far, near, 'out')
  }

  #pipe(pair: Pair, from: Socket, to: Socket, direction: Direction): void {
    let waiting = 0
    let line: Promise<void> = Promise.resolve()
    from.on('data', (chunk: Buffer) => {
      pair.lane ??= this.#laneOf(chunk)
      waiting += chunk.length
      if (waiting > FULL_PIPE_BYTES) from.pause()
      const arrived = performance.now()
      line = line.then(async () => {
        await this.#pass(pair, chunk, to, direction, arrived)
        waiting -= chunk.length
        if (waiting <= FULL_PIPE_BYTES) from.resume()
      })
    })
  }

  async #pass(pair: Pair, chunk: Buffer, to: Socket, direction: Direction, arrived: number): Promise<void> {
    const { latencyMs = 0, jitterMs = 0, sliceBytes = chunk.length } = this.#weatherOf(pair, direction)
    const due = arrived + latencyMs + Math.random() * jitterMs - performance.now()
    if (due > 0) await wait(due)
    for (let at = 0; at < chunk.length && !pair.over; at += sliceBytes) {
      const { swallow, bytesPerSecond, resetAfterBytes = Number.POSITIVE_INFINITY } = this.#weatherOf(pair, direction)
      if (swallow) return
      const piece = chunk.subarray(at, at + sliceBytes)
      if (bytesPerSecond) await wait((piece.length / bytesPerSecond) * 1_000)
      pair.passed[direction] += piece.length
      if (pair.passed[direction] > resetAfterBytes) {
        this.#end(pair)
        return
      }
      if (!pair.over && !to.write(piece)) await drained(to)
    }
  }

  #weatherOf(pair: Pair, direction: Direction): Weather {
    return this.#weather.get(`${pair.lane ?? ''} ${direction}`) ?? {}
  }

  #end(pair: Pair): void {
    if (pair.over) return
    pair.over = true
    this.#pairs.delete(pair)
    for (const socket of [pair.near, pair.far]) {
      if (socket.connecting) socket.destroy()
      else socket.resetAndDestroy()
    }
  }
}

interface Pair {
  near: Socket
  far: Socket
  lane: string | null
  passed: Record<Direction, number>
  over: boolean
}

function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      socket.off('drain', done).off('close', done)
      resolve()
    }
    socket.on('drain', done).on('close', done)
  })
}
