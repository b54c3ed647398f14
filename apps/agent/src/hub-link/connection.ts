/**
 * One connection from its socket to its end:
 *
 *   opening -> welcomed -> reporting -> online -> ended
 *
 * Doorbells may ring at any time: before `online` they are only remembered, after `ended` they are ignored. A connection
 * that ended is never used again.
 */
import {
  type AgentManifestPayload,
  type AuditHead,
  fromErrorBody,
  type Hold,
  type HostState,
  type ImageAsked,
  type ImageChunk,
  type LiveFrame,
  type Revoked,
  toCodedError,
  type Verdict,
  type Waits,
  type Welcome,
} from '@roundhouse/backend-types'
import { type AgentSocket, backlogOf, type HeardSocket, reasonOf } from './agent-socket'
import { EventSender } from './event-sender'
import { agreedLimits, noting, reportSessions, sayHello } from './handshake'
import { hearAll, ifItFits } from './heard-frames'
import { Outlet, RefusedByHub } from './outlet'
import type { CommandNewsItem, LinkPorts } from './ports'

const WELCOME_TIMEOUT_MS = 15_000
/** Live text is dropped first: once this much waits in the socket, it is not worth sending (LOG-5). */
const LIVE_BACKLOG_BYTES = 1_048_576
const STATES_AT_ONCE = 8
/** A hub that takes a connection only to close it with a reason is not asked again at once. */
const LONG_LIFE_MS = 10_000
const NEWS_AGAIN_MS = 5_000
/** A session on which the hub says nothing is reported ever more rarely, up to this. */
const SHORTEST_REST_MS = 1_000
const LONGEST_REST_MS = 60_000

export interface ConnectionEnd {
  reason: string
  /** The code with which the hub refused, where it did. */
  code?: string
  /** It was greeted, and broke without a word of the hub, or stood for long: what comes next is a new failure (LINK-4). */
  lived: boolean
}

export class Connection {
  readonly ended: Promise<ConnectionEnd>
  private settle: (end: ConnectionEnd) => void = () => {}
  private sender: EventSender | null = null
  private readonly outlet: Outlet
  private greetedAt = 0
  private online = false
  private over = false
  private isWelcomed = false
  private readonly judged = new Set<string>()
  private readonly asked = new Set<string>()
  /** Their logs are others than those that were reported last: what the hub says of them is about the ones before. */
  private readonly outdated = new Set<string>()
  /** To be reported as soon as the pages of reports are answered. */
  private readonly late = new Set<string>()
  /** Reported, and the hub gave no verdict: when each is reported again, and how often that happened in a row. */
  private readonly resting = new Map<string, NodeJS.Timeout>()
  private readonly unjudged = new Map<string, number>()
  private readonly timer: NodeJS.Timeout

  private readonly socket: HeardSocket

  constructor(
    socket: AgentSocket,
    private readonly ports: LinkPorts,
  ) {
    this.socket = socket
    this.outlet = new Outlet(socket, (line) => ports.log(line))
    this.ended = new Promise((resolve) => {
      this.settle = resolve
    })
    this.timer = setTimeout(() => this.fail('the hub did not say welcome'), WELCOME_TIMEOUT_MS)
    socket.on('connect_error', (error: Error) => this.fail(reasonOf(error)))
    socket.on('disconnect', (reason: string) => this.fail(`the connection was lost (${reason})`))
    this.listen()
    socket.io.on('ping', () => this.clock())
    socket.connect()
  }

  private listen(): void {
    const { socket, outlet, ports } = this
    hearAll(socket, {
      welcome: (read) => {
        if (!this.isWelcomed) void this.welcomed(read)
      },
      command: (read, reply, sessionId) => outlet.answerCommand(reply, sessionId, async () => ports.command(read())),
      'command.cancel': (read, reply, sessionId) =>
        outlet.answerCommand(reply, sessionId, async () => {
          const cancel = read()
          return ports.cancel(cancel.sessionId, cancel.commandId)
        }),
      question: (read, reply) => outlet.answerQuestion(reply, read, (question) => ports.question(question)),
      hold: ifItFits((hold) => this.hold(hold)),
      auditHead: ifItFits((head) => this.auditHead(head)),
      attention: ifItFits(({ sessionIds }) => ports.attention(sessionIds)),
      verdict: ifItFits((verdict) => this.judge(verdict)),
      revoked: (read) => this.revoked(read),
    })
  }

  fail(reason: string, code?: string): void {
    if (this.over) return
    this.over = true
    clearTimeout(this.timer)
    for (const timer of this.resting.values()) clearTimeout(timer)
    this.sender?.close()
    this.socket.removeAllListeners()
    this.socket.disconnect()
    const lived = this.sender !== null && (code === undefined || performance.now() - this.greetedAt > LONG_LIFE_MS)
    // First: whatever the others make of it, another connection follows.
    this.settle({ reason, lived, ...(code === undefined ? {} : { code }) })
    try {
      this.ports.present(null)
      if (this.online) this.ports.connected(false)
    } catch (error) {
      this.ports.log(`that there is no connection is not written down: ${toCodedError(error).message}`)
    }
  }

  // ------------------------------------------------------------- doorbells

  appended(sessionId: string, head: number): void {
    if (!this.sender || this.over) return
    if (this.judged.has(sessionId)) this.sender.appended(sessionId, head)
    else if (!this.resting.has(sessionId)) void this.reportOne(sessionId)
  }

  /** Its log is another one: what was agreed with the hub was about the one before. The other sessions go on. */
  renewed(sessionId: string): void {
    if (!this.sender || this.over) return
    this.judged.delete(sessionId)
    this.outdated.add(sessionId)
    void this.sender.renew(sessionId)
    void this.reportOne(sessionId)
  }

  state(state: HostState): void {
    if (this.greeted()) this.outlet.emit('state', state)
  }

  waits(waits: Waits): void {
    if (this.greeted()) this.outlet.emit('waits', waits)
  }

  live(frames: LiveFrame[]): void {
    if (!this.greeted() || backlogOf(this.socket) > LIVE_BACKLOG_BYTES) return
    this.outlet.emit('live', { frames })
  }

  manifest(manifest: AgentManifestPayload): void {
    if (this.greeted()) this.outlet.emit('manifest', { manifest })
  }

  /** LOG-10: the hub's clock and this one are compared as often as the link is. */
  private clock(): void {
    if (this.greeted()) this.outlet.emit('clock', { now: Date.now() })
  }

  /** What the hub refuses keeps its code. */
  async image(asked: ImageAsked): Promise<ImageChunk> {
    try {
      return await this.outlet.ask('image', asked)
    } catch (error) {
      throw error instanceof RefusedByHub ? fromErrorBody(error.error) : error
    }
  }

  async news(item: CommandNewsItem): Promise<void> {
    if (!this.greeted()) return
    try {
      await this.outlet.ask('command', item)
      this.ports.newsDelivered(item)
    } catch (error) {
      // A refusal is final (the hub does not know the command), unless it passes, as a full disk there does; silence is
      // repeated after the next hello.
      if (!(error instanceof RefusedByHub)) return
      if (error.error.retryable) setTimeout(() => void this.news(item), NEWS_AGAIN_MS).unref()
      else this.ports.newsDelivered(item)
    }
  }

  // ------------------------------------------------------------- handshake

  private greeted(): boolean {
    return this.sender !== null && !this.over && this.socket.connected
  }

  private async welcomed(read: () => Welcome): Promise<void> {
    this.isWelcomed = true
    try {
      const welcome = read()
      const limits = agreedLimits(welcome.limits)
      this.outlet.agree(limits.frameBytes)
      await sayHello(this.outlet, welcome, this.ports)
      if (this.over) return
      clearTimeout(this.timer)
      this.greetedAt = performance.now()
      this.ports.present(welcome.hubEpoch)
      this.sender = new EventSender(
        this.outlet,
        limits,
        welcome.hubEpoch,
        this.ports,
        (reason) => this.fail(reason),
        (sessionId) => this.reportAgain(sessionId),
      )
      for (const state of this.ports.states()) this.state(state)
      this.waits(this.ports.waits())
      for (const item of this.ports.news()) void this.news(item)
      const named = new Set<string>()
      const reports = noting(this.ports.reports(welcome.hubEpoch), named)
      await reportSessions(this.outlet, reports, limits.sessionsPerPage, (v) => this.judge(v))
      if (this.over) return
      for (const sessionId of named) if (!this.isSettled(sessionId)) this.rest(sessionId)
      this.ports.reported()
      this.online = true
      this.ports.connected(true)
      for (const sessionId of this.late) void this.reportOne(sessionId)
      this.late.clear()
      void this.tellResting()
    } catch (error) {
      this.failWith(error)
    }
  }

  /** There may be a thousand of them, and each is read from its log: a few for each turn of the event loop. */
  private async tellResting(): Promise<void> {
    let told = 0
    for (const state of this.ports.restingStates()) {
      if (!this.greeted()) return
      if (state) this.state(state)
      told += 1
      if (told % STATES_AT_ONCE === 0) await new Promise((resolve) => setImmediate(resolve))
    }
  }

  /** A session that is new, was quiet when the others were reported, or has another log by now. */
  private async reportOne(sessionId: string): Promise<void> {
    if (!this.online) {
      this.late.add(sessionId)
      return
    }
    if (this.asked.has(sessionId)) return
    this.asked.add(sessionId)
    try {
      let isOther = false
      do {
        isOther ||= this.outdated.has(sessionId)
        await this.reportNow(sessionId)
      } while (this.outdated.has(sessionId) && !this.over)
      if (isOther) for (const state of this.ports.states()) if (state.sessionId === sessionId) this.state(state)
    } catch (error) {
      this.failWith(error)
    } finally {
      this.asked.delete(sessionId)
    }
  }

  private async reportNow(sessionId: string): Promise<void> {
    // Until the hub has answered all that was sent of the log before, it would judge that one.
    if (this.outdated.has(sessionId)) await this.sender?.renew(sessionId)
    this.outdated.delete(sessionId)
    const report = this.over ? null : this.ports.report(sessionId)
    if (!report) return
    await reportSessions(this.outlet, [report], 1, (verdict) => this.judge(verdict))
    if (!this.over && !this.isSettled(sessionId)) this.rest(sessionId)
  }

  /** Nothing of it is sent until the hub has judged it anew. */
  private reportAgain(sessionId: string): void {
    this.judged.delete(sessionId)
    void this.reportOne(sessionId)
  }

  private isSettled(sessionId: string): boolean {
    return this.judged.has(sessionId) || this.outdated.has(sessionId)
  }

  /** The hub cannot judge this session now, because its own record is damaged for example. */
  private rest(sessionId: string): void {
    const times = this.unjudged.get(sessionId) ?? 0
    this.unjudged.set(sessionId, times + 1)
    clearTimeout(this.resting.get(sessionId))
    const timer = setTimeout(
      () => {
        this.resting.delete(sessionId)
        void this.reportOne(sessionId)
      },
      Math.min(LONGEST_REST_MS, SHORTEST_REST_MS * 2 ** times),
    )
    this.resting.set(sessionId, timer)
  }

  private judge(verdict: Verdict): void {
    if (this.over || this.outdated.has(verdict.sessionId)) return
    this.judged.add(verdict.sessionId)
    this.unjudged.delete(verdict.sessionId)
    clearTimeout(this.resting.get(verdict.sessionId))
    this.resting.delete(verdict.sessionId)
    this.late.delete(verdict.sessionId)
    this.ports.verdict(verdict)
    this.sender?.verdict(verdict)
  }

  private failWith(error: unknown): void {
    if (error instanceof RefusedByHub) this.fail(error.message, error.error.code)
    else this.fail(toCodedError(error).message)
  }

  // ------------------------------------------------------------- what the hub says

  private hold({ ms, code }: Hold): void {
    this.ports.log(`the hub asked for a pause of ${ms} ms (${code})`)
    this.sender?.hold(ms)
  }

  private auditHead(head: AuditHead): void {
    try {
      this.ports.auditHeads.keep(head)
    } catch (error) {
      this.ports.log(`the head of the hub's audit log is not kept: ${toCodedError(error).message}`)
    }
  }

  /** Sessions end for good where an agent was revoked, so nothing but these very words may mean that. */
  private revoked(read: () => Revoked): void {
    let why: Revoked
    try {
      why = read()
    } catch {
      this.fail('the hub closed the connection and did not say why')
      return
    }
    this.fail(why.message, why.code)
  }
}
