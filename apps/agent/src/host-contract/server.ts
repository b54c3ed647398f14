/**
 * The host's end of the session's socket. A connection must bring the token in its first line, within five seconds; then
 * it gets `hello` and from there on everything that is broadcast. Take the lock before listening: only its holder may
 * remove what a dead host left at that path.
 */
import { timingSafeEqual } from 'node:crypto'
import { unlinkSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { toCodedError } from '@roundhouse/backend-types'
import { LineSplitter, writeLine } from './framing'
import { HostAuth, type HostMessage, type HostMessageOf, HostRequest, LINE_LIMIT } from './messages'
import { requireSocketPath } from './paths'

const AUTH_TIMEOUT_MS = 5_000
/** A daemon that reads slower than this misses live text, never anything else. */
const LIVE_BACKLOG_BYTES = 1024 * 1024

export interface HostServerOptions {
  socketPath: string
  token: string
  hello(): Omit<HostMessageOf<'hello'>, 'type'>
  /** Its result is the answer's `value`; what it throws becomes the answer's error. */
  handle(request: HostRequest): Promise<unknown>
}

export class HostServer {
  private readonly server: Server
  private readonly open = new Set<Socket>()

  constructor(private readonly options: HostServerOptions) {
    this.server = createServer((socket) => this.accept(socket))
  }

  async listen(): Promise<void> {
    const path = requireSocketPath(this.options.socketPath)
    try {
      unlinkSync(path)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject)
      this.server.listen(path, resolve)
    })
  }

  broadcast(message: HostMessage): void {
    const droppable = message.type === 'live'
    for (const socket of this.open) {
      if (droppable && socket.writableLength > LIVE_BACKLOG_BYTES) continue
      writeLine(socket, message)
    }
  }

  /** Says goodbye to everybody and stops listening, which removes the socket file. */
  async close(bye: Omit<HostMessageOf<'bye'>, 'type'>): Promise<void> {
    this.broadcast({ type: 'bye', ...bye })
    if (!this.server.listening) return
    const closed = new Promise((resolve) => this.server.close(resolve))
    for (const socket of this.open) socket.end()
    await closed
  }

  private accept(socket: Socket): void {
    const lines = new LineSplitter(LINE_LIMIT)
    let known = false
    const timer = setTimeout(() => socket.destroy(), AUTH_TIMEOUT_MS)
    timer.unref()
    const receive = (line: string) => {
      if (known) return this.request(socket, line)
      if (!sameToken(HostAuth.parse(JSON.parse(line)).token, this.options.token)) return socket.destroy()
      known = true
      clearTimeout(timer)
      // Taking the account may ring the bells: this connection hears them from behind its hello on.
      const hello = this.options.hello()
      writeLine(socket, { type: 'hello', ...hello })
      this.open.add(socket)
    }
    socket.on('data', (chunk) => {
      try {
        for (const line of lines.push(chunk)) receive(line)
      } catch {
        socket.destroy()
      }
    })
    socket.on('error', () => socket.destroy())
    socket.once('close', () => {
      clearTimeout(timer)
      this.open.delete(socket)
    })
  }

  private request(socket: Socket, line: string): void {
    const json = JSON.parse(line) as { id?: unknown }
    const parsed = HostRequest.safeParse(json)
    const id = typeof json.id === 'number' ? json.id : 0
    const run = parsed.success ? this.options.handle(parsed.data) : Promise.reject(parsed.error)
    run.then(
      (value) => writeLine(socket, { type: 'answer', id, ok: true, value: value ?? null }),
      (error) => writeLine(socket, { type: 'answer', id, ok: false, error: toCodedError(error).toBody() }),
    )
  }
}

function sameToken(given: string, wanted: string): boolean {
  const a = Buffer.from(given)
  const b = Buffer.from(wanted)
  return a.length === b.length && timingSafeEqual(a, b)
}
