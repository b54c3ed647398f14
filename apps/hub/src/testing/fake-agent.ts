/** An agent for tests: its own key, its chain and its log in memory, the real socket. It does only what it is told. */
import { createHash, randomBytes } from 'node:crypto'
import {
  type AgentManifestPayload,
  type AuditHead,
  agentAuthHeaders,
  type Command,
  type CommandAnswer,
  type ErrorBody,
  type EventEnvelope,
  type Hello,
  type HostState,
  type LiveFrame,
  type Reply,
  type SessionEvent,
  type SessionReport,
  signedText,
  type Verdict,
  type Welcome,
} from '@roundhouse/backend-types'
import { type KeyPair, makeKeyPair, readPrivateKey, signText } from '@roundhouse/keys'
import { Manager, type Socket } from 'socket.io-client'
import type { Core } from '../core'
import { Waiter } from './waiter'

const manifest: AgentManifestPayload = { manifestVersion: 1, generatedAt: '2026-01-01T00:00:00Z', backends: [] }

export class FakeAgent {
  agentId = ''
  keys = makeKeyPair()
  chain = ''
  /** What the next command is answered with. */
  answer: (command: Command) => CommandAnswer | Promise<CommandAnswer> = () => ({ state: 'accepted' })
  cancelAnswer: CommandAnswer = { state: 'cancelled' }
  readonly commands: Command[] = []
  readonly cancels: string[] = []
  readonly verdicts: Verdict[] = []
  readonly holds: Array<{ ms: number; code: string }> = []
  readonly revoked: Array<{ code: string; message: string }> = []
  readonly questions: unknown[] = []
  /** Or a promise of it. */
  questionAnswer: unknown = {}
  /** Instead of an answer. */
  questionError: ErrorBody | null = null
  welcome: Welcome | null = null
  /** As the hub gave them. */
  auditHeads: AuditHead[] = []
  /** What the hub said of who looks at what, the latest last. */
  attention: Array<{ sessionIds: string[] }> = []
  readonly waiter = new Waiter()
  #socket: Socket | null = null
  #logs = new Map<string, { logId: string; events: EventEnvelope[] }>()

  constructor(
    private readonly core: Core,
    private readonly url: string,
  ) {}

  get publicKey(): string {
    return this.keys.publicKey
  }

  /** What asks for another key, signed by the one it has and by the other; `take` makes that one its own. */
  async rotation(next: KeyPair = makeKeyPair()) {
    const { nonce, hubId } = await this.core.agents.challenge({ address: 'test' }, { agentNonce: newNonce() })
    const said = signedText.rotate(hubId, this.agentId, nonce, next.publicKey)
    const request = {
      agentId: this.agentId,
      nonce,
      newPublicKey: next.publicKey,
      signature: this.sign(said),
      newSignature: signBy(next, said),
    }
    const take = () => {
      this.keys = next
    }
    return { request, take, next }
  }

  async rotateKey(): Promise<void> {
    const { request, take } = await this.rotation()
    await this.core.agents.rotateKey({ address: 'test' }, request)
    take()
  }

  copyFor(core: Core, url: string): FakeAgent {
    const copy = new FakeAgent(core, url)
    copy.agentId = this.agentId
    copy.keys = this.keys
    copy.chain = this.chain
    copy.#logs = new Map([...this.#logs].map(([id, log]) => [id, { ...log, events: [...log.events] }]))
    return copy
  }

  async enrol(token: string, name = 'box'): Promise<void> {
    const { agentId } = await this.core.agents.enroll({ address: 'test' }, await this.enrolment(token, name))
    this.agentId = agentId
  }

  async enrolment(token: string, name = 'box') {
    const { nonce, hubId } = await this.core.agents.challenge({ address: 'test' }, { agentNonce: newNonce() })
    const { publicKey } = this
    return {
      token,
      nonce,
      publicKey,
      signature: this.sign(signedText.enroll(hubId, nonce, publicKey)),
      name,
      platform: 'linux',
    }
  }

  challenge() {
    return this.core.agents.challenge({ address: 'test' }, { agentId: this.agentId, agentNonce: newNonce() })
  }

  sign(text: string): string {
    return signBy(this.keys, text)
  }

  async credential(known?: string): Promise<Record<string, string>> {
    const nonce = known ?? (await this.challenge()).nonce
    const { hubId } = this.core.hub
    return {
      [agentAuthHeaders.agentId]: this.agentId,
      [agentAuthHeaders.nonce]: nonce,
      [agentAuthHeaders.signature]: this.sign(signedText.agentAuth(hubId, this.agentId, nonce, this.url)),
    }
  }

  /** Opens the socket and waits for the welcome, or for the hub's no. `between`: after the upgrade, before the first word. */
  async open(
    headers?: Record<string, string>,
    between?: () => Promise<void>,
  ): Promise<'welcome' | 'revoked' | 'refused'> {
    const extraHeaders = headers ?? (await this.credential())
    const manager = new Manager(this.url, {
      transports: ['websocket'],
      reconnection: false,
      autoConnect: false,
      extraHeaders,
    })
    const socket = manager.socket('/agent')
    this.#socket = socket
    this.#listen(socket)
    const answer = new Promise<'welcome' | 'revoked' | 'refused'>((resolve) => {
      socket.once('welcome', () => resolve('welcome'))
      socket.once('revoked', () => resolve('revoked'))
      socket.once('connect_error', () => resolve('refused'))
    })
    if (between) {
      await new Promise((resolve) => manager.open(resolve))
      await between()
    }
    socket.connect()
    return answer
  }

  async connect(reports: SessionReport[] = []): Promise<Verdict[]> {
    if ((await this.open()) !== 'welcome') throw new Error(`not welcome: ${JSON.stringify(this.revoked)}`)
    const hello = await this.hello()
    if (!hello.ok) throw new Error(`hello: ${hello.error.code}`)
    return this.reports(reports)
  }

  async reports(sessions: SessionReport[]): Promise<Verdict[]> {
    const reply = await this.ask<{ verdicts: Verdict[] }>('sessions', { sessions, last: true })
    if (!reply.ok) throw new Error(`sessions: ${reply.error.code}`)
    return reply.verdicts
  }

  async hello(change: Partial<Hello> = {}): Promise<Reply<{ protocol: number }>> {
    const shown = this.chain
    this.chain = this.welcome?.chain ?? this.chain
    const hello: Hello = {
      software: 'fake 1',
      protocol: [1],
      policyDigest: 'p',
      chain: shown,
      now: Date.now(),
      manifest,
      host: { name: 'box', platform: 'linux', arch: 'x64' },
      policy: { roots: ['/code'], maxSandbox: 'workspace-write', summary: '' },
      ...change,
    }
    return this.ask('hello', hello)
  }

  /** Appends to the log of the session, without sending. */
  append(sessionId: string, ...events: SessionEvent[]): EventEnvelope[] {
    const log = this.log(sessionId)
    const made = events.map((event, i) => envelope(event, log.events.length + 1 + i))
    log.events.push(...made)
    return made
  }

  log(sessionId: string): { logId: string; events: EventEnvelope[] } {
    let log = this.#logs.get(sessionId)
    if (!log) {
      log = { logId: `log_${sessionId}`, events: [] }
      this.#logs.set(sessionId, log)
    }
    return log
  }

  report(sessionId: string, change: Partial<SessionReport> = {}): SessionReport {
    const { logId, events } = this.log(sessionId)
    const last = events.length
    return { sessionId, logId, firstRetained: last ? 1 : 0, last, acked: 0, ackedEpoch: '', ...change }
  }

  send(
    sessionId: string,
    events: EventEnvelope[],
    logId = this.log(sessionId).logId,
    soFar?: unknown,
  ): Promise<Reply<{ acked: number }>> {
    return this.ask('events', { sessionId, logId, events, soFar })
  }

  /** Appends and sends in one batch; the hub must take it. */
  async emit(sessionId: string, ...events: SessionEvent[]): Promise<number> {
    const reply = await this.send(sessionId, this.append(sessionId, ...events))
    if (!reply.ok) throw new Error(`${reply.error.code}: ${reply.error.message}`)
    return reply.acked
  }

  live(frames: LiveFrame[]): Promise<Reply> {
    return this.ask('live', { frames })
  }

  state(state: HostState): Promise<Reply> {
    return this.ask('state', state)
  }

  async ask<T extends object>(event: string, frame: unknown): Promise<Reply<T>> {
    if (!this.#socket) throw new Error('not connected')
    return this.#socket.timeout(10_000).emitWithAck(event, frame)
  }

  /** A packet as text, past the library's own encoder. */
  raw(packet: string): void {
    ;(this.socket.io.engine as unknown as { write(packet: string): void }).write(packet)
  }

  get socket(): Socket {
    if (!this.#socket) throw new Error('not connected')
    return this.#socket
  }

  close(): void {
    this.#socket?.disconnect()
    this.#socket = null
  }

  #listen(socket: Socket): void {
    const keep = <T>(event: string, list: T[]) =>
      socket.on(event, (frame: T) => {
        list.push(frame)
        this.waiter.look()
      })
    keep('verdict', this.verdicts)
    keep('hold', this.holds)
    keep('auditHead', this.auditHeads)
    keep('attention', this.attention)
    keep('revoked', this.revoked)
    socket.on('disconnect', () => this.waiter.look())
    socket.on('welcome', (welcome: Welcome) => {
      this.welcome = welcome
      this.waiter.look()
    })
    socket.on('command', async (command: Command, reply: (r: object) => void) => {
      this.commands.push(command)
      this.waiter.look()
      reply({ ok: true, answer: await this.answer(command) })
    })
    socket.on('command.cancel', (cancel: { commandId: string }, reply: (r: object) => void) => {
      this.cancels.push(cancel.commandId)
      reply({ ok: true, answer: this.cancelAnswer })
      this.waiter.look()
    })
    socket.on('question', (question: unknown, reply: (r: object) => void) => {
      this.questions.push(question)
      this.waiter.look()
      if (this.questionError) return reply({ ok: false, error: this.questionError })
      void Promise.resolve(this.questionAnswer).then((answer) => reply({ ok: true, answer }))
      this.waiter.look()
    })
  }
}

export function envelope(event: SessionEvent, seq: number, at = Date.now()): EventEnvelope {
  const body = JSON.stringify(event)
  const to = event.kind === 'gap' ? { to: event.to } : {}
  return { seq, ...to, kind: event.kind, v: 1, at, hash: hashOf(body), body }
}

export const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')

const signBy = ({ privateKey }: KeyPair, text: string) => signText(readPrivateKey(privateKey), text)
const newNonce = () => randomBytes(24).toString('base64url')
