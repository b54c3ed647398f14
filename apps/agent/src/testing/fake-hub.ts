/**
 * A small hub for tests: real HTTP, real socket.io, its data in memory (`fake-records.ts`), and faults on demand. It keeps the rules of the
 * protocol that an agent can see (challenge, chain, verdicts, cumulative acks, gaps, fencing) and nothing else.
 */
import { randomBytes } from 'node:crypto'
import { createServer, type Server as HttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  agentAuthHeaders,
  CodedError,
  type Command,
  type CommandAnswer,
  EnrollRequest,
  type EventBatch,
  type Hello,
  linkLimits,
  type Reply,
  type SessionReport,
  signedText,
  toCodedError,
  type Waits,
} from '@roundhouse/backend-types'
import { fingerprintOf, isSignedBy, makeKeyPair, readPrivateKey, signText } from '@roundhouse/keys'
import { Server, type Socket } from 'socket.io'
import { FakeRecords, take } from './fake-records'

/** As long as the hub: a machine that is busy takes seconds to start a host. */
const ANSWER_MS = 20_000

export class FakeHub {
  readonly hubId = 'hub-1'
  hubEpoch = 'epoch-1'
  keys = makeKeyPair()
  /** agentId -> public key. */
  readonly agents = new Map<string, string>()
  /** Said on the socket of an agent that has proved who it is. */
  revokes = false
  /** Said instead of a challenge, as by anybody who has the hub's port. */
  refusal: CodedError | null = null
  readonly token = 'rhe_0123456789_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQ_crc123'
  tokenUsed = false
  /** The name that its token fixes. */
  tokenName: string | undefined
  private readonly records = new FakeRecords()
  readonly sessions = this.records.sessions
  readonly logIds = this.records.logIds
  readonly deleted = this.records.deleted
  readonly batches = this.records.batches
  readonly failing = this.records.failing
  readonly blocked = this.records.blocked
  readonly faults = this.records.faults
  readonly hellos: Hello[] = []
  readonly reports: SessionReport[][] = []
  readonly states: Array<Record<string, unknown>> = []
  readonly waits: Waits[] = []
  readonly live: unknown[] = []
  readonly news: unknown[] = []
  limits = { ...linkLimits } as { -readonly [K in keyof typeof linkLimits]: number }
  /** The protocol versions that it speaks. */
  protocols = [1]
  chain = ''
  /** Sessions that it cannot judge, since its own record of them is damaged. */
  readonly unjudged = new Set<string>()
  /** The most events that were ever received and not yet answered. */
  mostUnanswered = 0

  private readonly nonces = new Set<string>()
  private http: HttpServer | null = null
  private io: Server | null = null
  private port = 0
  private socket: Socket | null = null
  private watchers: Array<{ test: () => boolean; resolve: () => void }> = []
  connections = 0
  /** The agent that is connected has reported all its sessions. */
  ready = false

  pingMs = 7_000
  /** What the agent's clock said with each ping. */
  readonly clocks: number[] = []

  async start(): Promise<void> {
    this.http = createServer((request, response) => void this.answer(request, response))
    this.io = new Server(this.http, {
      transports: ['websocket'],
      serveClient: false,
      pingInterval: this.pingMs,
      maxHttpBufferSize: linkLimits.frameBytes,
      pingTimeout: 8_000,
      allowRequest: (request, decide) => decide(null, this.mayUpgrade(request)),
    })
    this.io.of('/agent').on('connection', (socket) => this.connected(socket))
    const { http } = this
    await new Promise<void>((resolve) => http.listen(this.port, '127.0.0.1', resolve))
    this.port = (http.address() as AddressInfo).port
  }

  /** The process is gone; its data and its port stay. */
  async stop(): Promise<void> {
    await this.io?.close()
    this.socket = null
  }

  get duplicates(): number {
    return this.records.duplicates
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  get publicKey(): string {
    return this.keys.publicKey
  }

  get fingerprint(): string {
    return fingerprintOf(this.keys.publicKey)
  }

  seqs(sessionId: string): number[] {
    return (this.sessions.get(sessionId) ?? []).map((event) => event.seq)
  }

  /** Resolves as soon as the condition holds; looked at after everything that happens here. */
  until(test: () => boolean): Promise<void> {
    if (test()) return Promise.resolve()
    return new Promise((resolve) => this.watchers.push({ test, resolve }))
  }

  command(command: Command): Promise<Reply<{ answer: CommandAnswer }>> {
    return this.requireSocket().timeout(ANSWER_MS).emitWithAck('command', command)
  }

  ask(event: string, body: object): Promise<Reply<{ answer: unknown }>> {
    return this.requireSocket().timeout(ANSWER_MS).emitWithAck(event, body)
  }

  push(event: string, body: object): void {
    this.requireSocket().emit(event, body)
  }

  cut(): void {
    this.socket?.disconnect(true)
  }

  private requireSocket(): Socket {
    if (!this.socket) throw new Error('no agent is connected to the fake hub')
    return this.socket
  }

  private look(): void {
    const done = this.watchers.filter((watcher) => watcher.test())
    this.watchers = this.watchers.filter((watcher) => !done.includes(watcher))
    for (const watcher of done) watcher.resolve()
  }

  // ----------------------------------------------------------- HTTP

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const send = (status: number, body: object) => response.writeHead(status).end(JSON.stringify(body))
    try {
      let text = ''
      for await (const piece of request) text += piece
      const body = text ? JSON.parse(text) : {}
      if (request.url === '/api/v1/agent/challenge') return void send(200, this.challenge(body))
      if (request.url === '/api/v1/agent/enroll') return void send(200, this.enroll(body))
      if (request.url === '/api/v1/health') return void send(200, { ok: true, version: '0', setupRequired: false })
      send(404, { error: new CodedError('NOT_FOUND').toBody() })
    } catch (error) {
      const coded = toCodedError(error)
      send(coded.status, { error: coded.toBody() })
    }
  }

  private challenge(body: { agentId?: string; agentNonce: string }): object {
    if (this.refusal) throw this.refusal
    const nonce = randomBytes(16).toString('base64url')
    this.nonces.add(nonce)
    const said = signedText.hubAuth(this.hubId, body.agentNonce)
    const hubSignature = signText(readPrivateKey(this.keys.privateKey), said)
    return { hubId: this.hubId, hubPublicKey: this.keys.publicKey, nonce, hubSignature }
  }

  private enroll(body: object): object {
    const { token, nonce, publicKey, signature, name } = EnrollRequest.parse(body)
    const signed = signedText.enroll(this.hubId, nonce, publicKey)
    if (!this.nonces.delete(nonce) || !isSignedBy(publicKey, signed, signature)) throw new CodedError('AUTH_FAILED')
    if (token !== this.token || this.tokenUsed) throw new CodedError('ENROLLMENT_INVALID')
    this.tokenUsed = true
    this.agents.set('agent-1', publicKey)
    return {
      agentId: 'agent-1',
      hubId: this.hubId,
      hubPublicKey: this.keys.publicKey,
      state: 'active',
      name: this.tokenName ?? name,
    }
  }

  private mayUpgrade(request: IncomingMessage): boolean {
    if (this.faults.refuseUpgrades > 0) {
      this.faults.refuseUpgrades -= 1
      return false
    }
    const header = (name: string) => String(request.headers[name] ?? '')
    const agentId = header(agentAuthHeaders.agentId)
    const nonce = header(agentAuthHeaders.nonce)
    const key = this.agents.get(agentId)
    const signed = signedText.agentAuth(this.hubId, agentId, nonce, this.url)
    return this.nonces.delete(nonce) && key !== undefined && isSignedBy(key, signed, header(agentAuthHeaders.signature))
  }

  // ----------------------------------------------------------- socket

  private connected(socket: Socket): void {
    this.connections += 1
    if (take(this.faults, 'notAdmitted')) {
      socket.emit('revoked', { code: 'AGENT_PENDING', message: 'Waits.' })
      socket.disconnect(true)
      return
    }
    if (this.revokes) {
      socket.emit('revoked', { code: 'AGENT_REVOKED', message: 'Revoked by Ana.' })
      socket.disconnect(true)
      return
    }
    this.socket = socket
    const accepted = new Set([this.chain])
    const fresh = randomBytes(8).toString('hex')
    const answering = (work: () => object | null, reply?: (r: object) => void) => {
      try {
        const answer = work()
        if (answer) reply?.({ ok: true, ...answer })
      } catch (error) {
        reply?.({ ok: false, error: toCodedError(error).toBody() })
      }
      this.look()
    }
    const on = <B>(event: string, work: (body: B) => object | null) => {
      socket.on(event, (body: B, reply?: (r: object) => void) => answering(() => work(body), reply))
    }
    on<Hello>('hello', (hello) => {
      if (!accepted.has(hello.chain)) throw new CodedError('AGENT_CLONED')
      if (!hello.protocol.some((version) => this.protocols.includes(version))) {
        this.chain = fresh // the agent has it on its disk
        throw new CodedError('PROTOCOL_UNSUPPORTED', `This hub speaks protocol version ${this.protocols}.`)
      }
      this.chain = fresh
      this.hellos.push(hello)
      return { protocol: 1 }
    })
    on<{ sessions: SessionReport[]; last: boolean }>('sessions', ({ sessions, last }) => {
      this.ready ||= last
      this.reports.push(sessions)
      return {
        verdicts: sessions
          .filter(({ sessionId }) => !this.unjudged.has(sessionId))
          .map((report) => this.records.judge(report)),
      }
    })
    on<{ now: number }>('clock', ({ now }) => {
      this.clocks.push(now)
      return {}
    })
    let unanswered = 0
    socket.on('events', (batch: EventBatch, reply: (r: object) => void) => {
      unanswered += batch.events.length
      this.mostUnanswered = Math.max(this.mostUnanswered, unanswered)
      // As a real hub does: the answer follows in a later turn, after the commit.
      setImmediate(() => {
        unanswered -= batch.events.length
        answering(() => this.records.store(batch, () => socket.disconnect(true)), reply)
      })
    })
    on<Record<string, unknown>>('state', (state) => {
      this.states.push(state)
      return null
    })
    on<Waits>('waits', (waits) => {
      this.waits.push(waits)
      return null
    })
    on<object>('live', (frames) => {
      this.live.push(frames)
      return null
    })
    on<object>('command', (news) => {
      this.news.push(news)
      return {}
    })
    socket.on('disconnect', () => {
      if (this.socket === socket) this.ready = false
      this.look()
    })
    socket.emit('welcome', {
      hubId: this.hubId,
      hubEpoch: this.hubEpoch,
      connEpoch: this.connections,
      chain: fresh,
      protocol: 1,
      limits: this.limits,
      now: Date.now(),
    })
    this.look()
  }
}
