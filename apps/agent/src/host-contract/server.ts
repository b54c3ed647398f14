/**
 * The host's end of the session's socket. A connection must prove within five seconds that it is the agent's; then it gets
 * `hello` and from there on everything that is broadcast. Take the lock before listening: only its holder may
 * remove what a dead host left at that path.
 */
import { unlinkSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { toCodedError } from '@roundhouse/backend-types'
import { LineSplitter, writeLine } from './framing'
import { DaemonProof, HostAuth, type HostMessage, type HostMessageOf, HostRequest, LINE_LIMIT } from './messages'
import { requireSocketPath } from './paths'
import { isSame, newNonce, proofOf, SEAL_LENGTH, Seal } from './seal'

const AUTH_TIMEOUT_MS = 5_000
/** A daemon that reads slower than this misses live text, never anything else. */
const LIVE_BACKLOG_BYTES = 1024 * 1024

export interface HostServerOptions {
  socketPath: string
  /** Known to the agent alone (`host-door.ts`). */
  secret: string
  hello(): Omit<HostMessageOf<'hello'>, 'type'>
  /** Its result is the answer's `value`; what it throws becomes the answer's error. */
  handle(request: HostRequest): Promise<unknown>
}

export class HostServer {
  private readonly server: Server
  /** Connections that have proved themselves, with the seal of what is said to each. */
  private readonly open = new Map<Socket, Seal>()

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
    for (const [socket, seal] of this.open) {
      if (droppable && socket.writableLength > LIVE_BACKLOG_BYTES) continue
      writeLine(socket, message, seal)
    }
  }

  /** Says goodbye to everybody and stops listening, which removes the socket file. */
  async close(bye: Omit<HostMessageOf<'bye'>, 'type'>): Promise<void> {
    this.broadcast({ type: 'bye', ...bye })
    if (!this.server.listening) return
    const closed = new Promise((resolve) => this.server.close(resolve))
    for (const socket of this.open.keys()) socket.end()
    await closed
  }

  private accept(socket: Socket): void {
    const lines = new LineSplitter(LINE_LIMIT + SEAL_LENGTH)
    const timer = setTimeout(() => socket.destroy(), AUTH_TIMEOUT_MS)
    timer.unref()
    let nonces: readonly [string, string] | null = null
    let heard: Seal | null = null
    const receive = (line: string) => {
      if (heard) return this.request(socket, heard.open(line))
      if (!nonces) {
        nonces = this.challenge(socket, line)
        return
      }
      const { proof } = DaemonProof.parse(JSON.parse(line))
      if (!isSame(proof, proofOf(this.options.secret, 'daemon', nonces))) return socket.destroy()
      heard = new Seal(this.options.secret, 'daemon', nonces)
      clearTimeout(timer)
      this.greet(socket, nonces)
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

  private challenge(socket: Socket, line: string): [string, string] {
    const nonces: [string, string] = [HostAuth.parse(JSON.parse(line)).nonce, newNonce()]
    writeLine(socket, { type: 'challenge', nonce: nonces[1], proof: proofOf(this.options.secret, 'host', nonces) })
    return nonces
  }

  private greet(socket: Socket, nonces: readonly [string, string]): void {
    const seal = new Seal(this.options.secret, 'host', nonces)
    // Taking the account may ring the bells: this connection hears them from behind its hello on.
    const hello = this.options.hello()
    writeLine(socket, { type: 'hello', ...hello }, seal)
    this.open.set(socket, seal)
  }

  private request(socket: Socket, line: string): void {
    const seal = this.open.get(socket)
    const json = JSON.parse(line) as { id?: unknown }
    const parsed = HostRequest.safeParse(json)
    const id = typeof json.id === 'number' ? json.id : 0
    const run = parsed.success ? this.options.handle(parsed.data) : Promise.reject(parsed.error)
    run.then(
      (value) => writeLine(socket, { type: 'answer', id, ok: true, value: value ?? null }, seal),
      (error) => writeLine(socket, { type: 'answer', id, ok: false, error: toCodedError(error).toBody() }, seal),
    )
  }
}
