/**
 * A proxy that sees Socket.IO frames instead of bytes, and may repeat, delay or drop them. Pings of the engine pass
 * unchanged, so the link stays alive while its content suffers. Plain HTTP passes unchanged.
 */
import { createServer, request, type Server } from 'node:http'
import { type RawData, WebSocket, WebSocketServer } from 'ws'
import type { Direction } from './tcp-proxy'

/** How often a frame is sent (0 drops it), and after how many later frames of its direction. */
export interface Fate {
  times?: number
  after?: number
}

export type JudgeFrame = (direction: Direction, text: string) => Fate | null

export class FrameProxy {
  readonly #server: Server
  readonly #webSockets = new WebSocketServer({ noServer: true })
  readonly #links = new Set<WebSocket>()
  #judge: JudgeFrame = () => null

  private constructor(target: () => number) {
    this.#server = createServer((incoming, answer) => {
      const { method, url, headers } = incoming
      const onward = request({ host: '127.0.0.1', port: target(), method, path: url, headers }, (reply) => {
        answer.writeHead(reply.statusCode ?? 502, reply.headers)
        reply.pipe(answer)
      })
      onward.on('error', () => answer.destroy())
      incoming.on('error', () => onward.destroy())
      incoming.pipe(onward)
    })
    this.#server.on('upgrade', (incoming, socket, head) => {
      const far = new WebSocket(`ws://127.0.0.1:${target()}${incoming.url}`, { headers: passOn(incoming.headers) })
      const early: Array<{ data: RawData; isBinary: boolean }> = []
      const keep = (data: RawData, isBinary: boolean) => early.push({ data, isBinary })
      far.on('message', keep)
      far.on('error', () => socket.destroy())
      socket.on('error', () => far.terminate())
      far.on('open', () =>
        this.#webSockets.handleUpgrade(incoming, socket, head, (near) => {
          far.off('message', keep)
          this.#link(near, far)
          for (const { data, isBinary } of early) far.emit('message', data, isBinary)
        }),
      )
    })
  }

  static async start(target: () => number): Promise<FrameProxy> {
    const proxy = new FrameProxy(target)
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve))
    return proxy
  }

  get url(): string {
    const address = this.#server.address()
    if (address === null || typeof address === 'string') throw new Error('the proxy does not listen')
    return `http://localhost:${address.port}`
  }

  /** Applies from now on. `null` passes frames unchanged. */
  judge(judge: JudgeFrame): void {
    this.#judge = judge
  }

  /** Ends all present connections. */
  reset(): void {
    for (const link of this.#links) link.terminate()
  }

  async close(): Promise<void> {
    this.reset()
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #link(near: WebSocket, far: WebSocket): void {
    this.#pass(near, far, 'in')
    this.#pass(far, near, 'out')
  }

  #pass(from: WebSocket, to: WebSocket, direction: Direction): void {
    const held: Array<{ left: number; send: () => void }> = []
    this.#links.add(from)
    from.on('message', (data: RawData, isBinary: boolean) => {
      const text = isBinary ? '' : data.toString()
      const isMessage = text.startsWith('4')
      const { times = 1, after = 0 } = (isMessage && this.#judge(direction, text)) || {}
      const send = () => {
        for (let i = 0; i < times; i += 1) if (to.readyState === WebSocket.OPEN) to.send(isBinary ? data : text)
      }
      if (after === 0) send()
      for (const one of held) one.left -= isMessage ? 1 : one.left // a ping ends all waiting
      while (held[0] && held[0].left <= 0) held.shift()?.send()
      if (after > 0) held.push({ left: after, send })
    })
    from.on('close', () => {
      this.#links.delete(from)
      to.terminate()
    })
    from.on('error', () => to.terminate())
  }
}

/** Leaves out headers that a WebSocket client creates for its own handshake. */
function passOn(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const own = /^(connection|upgrade|sec-websocket-.*)$/i
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      own.test(name) || value === undefined ? [] : [[name, String(value)]],
    ),
  )
}
