/**
 * The host's end of the session's socket. A connection must prove within five seconds that it is the agent's; then it gets
 * `hello` and from there on everything that is broadcast. Take the lock before listening: only its holder may
 * remove what a dead host left at that path.
 */
import type { Socket } from 'node:net'
import { toCodedError } from '@roundhouse/backend-types'
import { type HostConnections, say } from './connections'
import { hearNoFaster, LineSplitter, writeLine } from './framing'
import { DaemonProof, HostAuth, type HostMessageOf, HostRequest, LINE_LIMIT } from './messages'
import { isSame, newNonce, proofOf } from './proof'
import { SEAL_LENGTH, Seal } from './seal'
import { SocketPlace } from './socket-place'

const AUTH_TIMEOUT_MS = 5_000

export interface HostServerOptions {
  socketPath: string
  /** Where it listens when that path cannot be made again. */
  spareSockets?: readonly string[] | undefined
  /** Known to the agent alone (`host-door.ts`). */
  secret: string
  hello(): Omit<HostMessageOf<'hello'>, 'type'>
  /** Its result is the answer's `value`; what it throws becomes the answer's error. */
  handle(request: HostRequest): Promise<unknown>
}

export class HostServer {
  private readonly place: SocketPlace
  private readonly unproved = new Set<Socket>()
  private closing = false

  constructor(
    private readonly options: HostServerOptions,
    private readonly connections: HostConnections,
  ) {
    const paths = [options.socketPath, ...(options.spareSockets ?? [])] as const
    this.place = new SocketPlace(paths, (socket) => this.accept(socket))
  }

  listen(): Promise<void> {
    return this.place.listen()
  }

  /** Where it listens now. */
  get socketPath(): string {
    return this.place.path
  }

  /** Listens anew where its file is gone, or is another one. */
  keepPlace(): Promise<void> {
    return this.place.keep()
  }

  /**
   * Says goodbye to everybody and stops listening, which removes the socket file. Whoever is just coming in is turned away,
   * and what is asked from now on gets no answer: the log is closed, and the next host has to be asked.
   */
  async close(bye: Omit<HostMessageOf<'bye'>, 'type'>): Promise<void> {
    this.closing = true
    this.connections.broadcast({ type: 'bye', ...bye })
    const closed = this.place.close()
    for (const socket of this.unproved) socket.destroy()
    this.connections.end()
    await closed
  }

  private accept(socket: Socket): void {
    if (this.closing) {
      socket.destroy()
      return
    }
    this.unproved.add(socket)
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
      this.unproved.delete(socket)
      this.connections.remove(socket)
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
    say(socket, { type: 'hello', ...hello }, seal)
    this.unproved.delete(socket)
    this.connections.add(socket, seal)
  }

  private request(socket: Socket, line: string): void {
    if (this.closing) return
    const seal = this.connections.sealOf(socket)
    const json = JSON.parse(line) as { id?: unknown }
    const parsed = HostRequest.safeParse(json)
    const id = typeof json.id === 'number' ? json.id : 0
    const run = parsed.success ? this.options.handle(parsed.data) : Promise.reject(parsed.error)
    const answer = (message: HostMessageOf<'answer'>) => {
      say(socket, message, seal)
      hearNoFaster(socket)
    }
    run.then(
      (value) => answer({ type: 'answer', id, ok: true, value: value ?? null }),
      (error) => answer({ type: 'answer', id, ok: false, error: toCodedError(error).toBody() }),
    )
  }
}
