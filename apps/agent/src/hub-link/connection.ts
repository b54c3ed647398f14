/**
 * One connection from its socket to its end: runs the state machine that decides (`LinkState` of the kernel) on a socket, the
 * daemon's ports and timers. Doorbells may ring at any time. A connection that ended is never used again.
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
  type Waits,
  type Welcome,
} from '@roundhouse/backend-types'
import { type LinkEffect, type LinkEvent, LinkState } from '@roundhouse/delivery'
import { type AgentSocket, backlogOf, type HeardSocket, reasonOf } from './agent-socket'
import { agreedLimits } from './handshake'
import { hearAll, ifItFits } from './heard-frames'
import { failureOf, type Greeted, LinkEffects } from './link-effects'
import { Outlet, RefusedByHub } from './outlet'
import type { CommandNewsItem, LinkPorts } from './ports'

/** Live text is dropped first: once this much waits in the socket, it is not worth sending (LOG-5). */
const LIVE_BACKLOG_BYTES = 1_048_576

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
  private readonly link = new LinkState()
  private readonly outlet: Outlet
  private readonly socket: HeardSocket
  private readonly effects: LinkEffects
  private readonly timers = new Set<NodeJS.Timeout>()
  /** Effects that are still to be carried out, in order: one that is carried out may ask for more. */
  private readonly due: LinkEffect[] = []
  private isBusy = false
  private wasOnline = false
  private greeted: Greeted | null = null

  constructor(
    socket: AgentSocket,
    private readonly ports: LinkPorts,
  ) {
    this.socket = socket
    this.outlet = new Outlet(socket, (line) => ports.log(line))
    this.ended = new Promise((resolve) => {
      this.settle = resolve
    })
    const hear = (event: LinkEvent) => this.hear(event)
    this.effects = new LinkEffects(
      this.outlet,
      ports,
      hear,
      () => this.requireGreeted(),
      () => this.isGreeted,
    )
    socket.on('connect_error', (error: Error) => this.fail(reasonOf(error)))
    socket.on('disconnect', (reason: string) => this.fail(`the connection was lost (${reason})`))
    this.listen()
    socket.io.on('ping', () => this.clock())
    this.carryOut(this.link.begin())
    socket.connect()
  }

  private listen(): void {
    const { socket, outlet, ports } = this
    hearAll(socket, {
      welcome: (read) => this.welcomed(read),
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
      verdict: ifItFits((verdict) => this.hear({ kind: 'verdictCame', verdict })),
      revoked: (read) => this.revoked(read),
    })
  }

  fail(reason: string, code?: string): void {
    this.hear({ kind: 'failed', reason, ...(code === undefined ? {} : { code }) })
  }

  // ------------------------------------------------------------- doorbells

  appended(sessionId: string, head: number): void {
    this.hear({ kind: 'appended', sessionId, head })
  }

  /** Its log is another one: what was agreed with the hub was about the one before. The other sessions go on. */
  renewed(sessionId: string): void {
    this.hear({ kind: 'renewed', sessionId })
  }

  news(item: CommandNewsItem): void {
    if (this.isGreeted) this.hear({ kind: 'newsDue', item })
  }

  state(state: HostState): void {
    if (this.isGreeted) this.outlet.emit('state', state)
  }

  waits(waits: Waits): void {
    if (this.isGreeted) this.outlet.emit('waits', waits)
  }

  live(frames: LiveFrame[]): void {
    if (!this.isGreeted || backlogOf(this.socket) > LIVE_BACKLOG_BYTES) return
    this.outlet.emit('live', { frames })
  }

  manifest(manifest: AgentManifestPayload): void {
    if (this.isGreeted) this.outlet.emit('manifest', { manifest })
  }

  /** LOG-10: the hub's clock and this one are compared as often as the link is. */
  private clock(): void {
    if (this.isGreeted) this.outlet.emit('clock', { now: Date.now() })
  }

  /** Throws the hub's own code if the hub refuses. */
  async image(asked: ImageAsked): Promise<ImageChunk> {
    try {
      return await this.outlet.ask('image', asked)
    } catch (error) {
      throw error instanceof RefusedByHub ? fromErrorBody(error.error) : error
    }
  }

  // ------------------------------------------------------------- the machine

  private get isGreeted(): boolean {
    const { stage } = this.link
    return (stage === 'reporting' || stage === 'online') && this.socket.connected
  }

  private requireGreeted(): Greeted {
    if (!this.greeted) throw new Error('the hub has not said welcome')
    return this.greeted
  }

  private hear(event: LinkEvent): void {
    this.carryOut(this.link.hear(event, performance.now()))
  }

  private carryOut(effects: readonly LinkEffect[]): void {
    this.due.push(...effects)
    if (this.isBusy) return
    this.isBusy = true
    for (let effect = this.due.shift(); effect; effect = this.due.shift()) this.carryOutOne(effect)
    this.isBusy = false
  }

  private carryOutOne(effect: LinkEffect): void {
    try {
      if (effect.do === 'wait') this.later(effect.ms, effect.next)
      else if (effect.do === 'pump') queueMicrotask(() => this.hear({ kind: 'pumped' }))
      else if (effect.do === 'end') this.end(effect)
      else {
        if (effect.do === 'goOnline') this.wasOnline = true
        const run = this.effects.run[effect.do] as (effect: LinkEffect) => void
        run(effect)
      }
    } catch (error) {
      this.hear(failureOf(error))
    }
  }

  private later(ms: number, next: LinkEvent): void {
    const timer = setTimeout(() => {
      this.timers.delete(timer)
      this.hear(next)
    }, ms)
    this.timers.add(timer)
  }

  private end({ reason, code, lived }: Extract<LinkEffect, { do: 'end' }>): void {
    this.due.length = 0
    for (const timer of this.timers) clearTimeout(timer)
    this.socket.removeAllListeners()
    this.socket.disconnect()
    // First: whatever the others make of it, another connection follows.
    this.settle({ reason, lived, ...(code === undefined ? {} : { code }) })
    try {
      this.ports.present(null)
      if (this.wasOnline) this.ports.connected(false)
    } catch (error) {
      this.ports.log(`could not record that there is no connection: ${toCodedError(error).message}`)
    }
  }

  // ------------------------------------------------------------- what the hub says

  private welcomed(read: () => Welcome): void {
    if (this.greeted) return
    try {
      const welcome = read()
      const limits = agreedLimits(welcome.limits)
      this.greeted = { welcome, limits }
      this.outlet.agree(limits.frameBytes)
      this.hear({ kind: 'welcomed', hubEpoch: welcome.hubEpoch, limits })
    } catch (error) {
      this.hear(failureOf(error))
    }
  }

  private hold({ ms, code }: Hold): void {
    this.ports.log(`the hub asked for a pause of ${ms} ms (${code})`)
    this.hear({ kind: 'holdCame', ms })
  }

  private auditHead(head: AuditHead): void {
    try {
      this.ports.auditHeads.keep(head)
    } catch (error) {
      this.ports.log(`could not store the head of the hub's audit log: ${toCodedError(error).message}`)
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
