/** The agent daemon: keeps hosts alive, sends their logs by the planner, hands commands to them. */
import type {
  Command,
  CommandAnswer,
  HostState,
  LinkLimits,
  LiveFrame,
  SessionReport,
  Verdict,
} from '@roundhouse/backend-types'
import type { RebaseOrder, SendPlanner } from '../../index'
import { lastSeq } from '../../index'
import type { BatchReply, Hub } from '../hub/hub'
import type { Channel } from '../world/network'
import { Proc } from '../world/proc'
import { demand } from '../world/truth'
import type { World } from '../world/world'
import { prunedGap } from './bodies'
import type { Host } from './host'

export type AgentChannel = Channel<Daemon, Hub>

export interface AgentWelcome {
  hubEpoch: string
  connEpoch: number
  limits: LinkLimits
}

interface Link {
  channel: AgentChannel
  welcome: AgentWelcome
  planner: SendPlanner
  /** Verdict given. */
  served: Set<string>
  orders: Map<string, RebaseOrder>
  inFlight: number
}

const ackTimeoutMs = 20_000

export class Daemon extends Proc {
  #link: Link | null = null
  #failures = 0
  readonly #states = new Map<string, HostState>()

  constructor(
    world: World,
    readonly agentId: string,
    readonly hosts: ReadonlyMap<string, Host>,
    readonly hub: Hub,
  ) {
    super(world, `daemon(${agentId})`)
  }

  isDrained(): boolean {
    return this.#link !== null && this.#link.served.size === this.hosts.size && this.#link.planner.isDrained()
  }

  // -- from the hosts

  doorbell(sessionId: string): void {
    if (!this.up) return
    this.after(1, () => {
      const host = this.hosts.get(sessionId)
      const link = this.#link
      if (!host || !link) return
      link.planner.appended(sessionId, this.#readable(host).head)
      this.#pump(link)
      const order = link.orders.get(sessionId)
      if (order && host.ready) this.#rebase(link, sessionId, order)
    })
  }

  state(state: HostState): void {
    if (!this.up) return
    this.after(1, () => {
      this.#states.set(state.sessionId, state)
      const link = this.#link
      if (link?.served.has(state.sessionId)) link.channel.toHub((hub) => hub.agents.state(link.channel, state))
    })
  }

  live(frame: LiveFrame): void {
    if (this.up) this.after(1, () => this.#link?.channel.toHub((hub) => hub.agents.live(frame)))
  }

  hostDied(sessionId: string): void {
    if (this.up) this.after(this.world.rng.between(5, 50), () => this.hosts.get(sessionId)?.start())
  }

  // -- from the hub

  welcomed(channel: AgentChannel, welcome: AgentWelcome): void {
    if (this.#link?.channel === channel) return
    const { kernel } = this.world
    this.#failures = 0
    const planner = kernel.makePlanner(welcome.limits, welcome.hubEpoch)
    const link: Link = { channel, welcome, planner, served: new Set(), orders: new Map(), inFlight: 0 }
    this.#link = link
    const reports = [...this.hosts.values()].map((host) => this.#report(host))
    channel.ask(
      (hub, reply: (verdicts: Verdict[]) => void) => hub.agents.sessions(channel, reports, reply),
      (verdicts) => this.#judged(link, reports, verdicts),
      { ms: ackTimeoutMs, failed: () => link.served.size === 0 && this.#leave(channel) },
    )
  }

  command(command: Command, reply: (answer: CommandAnswer) => void): void {
    this.hosts.get(command.sessionId)?.after(1, () => this.hosts.get(command.sessionId)?.receive(command, reply))
  }

  cancel(sessionId: string, commandId: string, reply: (answer: CommandAnswer) => void): void {
    this.hosts.get(sessionId)?.after(1, () => this.hosts.get(sessionId)?.cancel(commandId, reply))
  }

  lost(channel: AgentChannel): void {
    if (this.#link && this.#link.channel !== channel) return
    this.#link = null
    this.#failures += 1
    const { rng } = this.world
    this.after(rng.between(100, Math.min(10_000, 500 * 2 ** this.#failures)), () => this.#dial())
  }

  // -- life

  protected onStart(): void {
    this.#link = null
    this.#failures = 0
    this.#states.clear()
    for (const host of this.hosts.values()) {
      if (host.up) host.emitState()
      else this.after(1, () => host.start())
    }
    this.#dial()
    this.every(3_000, () => {
      this.#news()
      this.#repeatStates()
    })
  }

  protected onCrash(): void {
    this.#link?.channel.close('client')
    this.#link = null
    this.world.clock.after(this.world.rng.between(100, 3_000), () => this.start())
  }

  #dial(): void {
    if (this.#link) return
    const closed = {
      client: (channel: AgentChannel) => this.lost(channel),
      hub: (channel: AgentChannel) => this.hub.agents.closed(channel),
    }
    this.hub.dial(
      this,
      this.agentId,
      closed,
      (channel) => {
        channel.toHub((hub) => hub.agents.accept(channel))
        this.after(5_000, () => this.#link?.channel !== channel && this.#leave(channel))
      },
      () => this.#dial(),
    )
  }

  #leave(channel: AgentChannel): void {
    if (!channel.isOpen('client')) return
    channel.close('client')
    this.lost(channel)
  }

  #readable(host: Host) {
    return this.world.kernel.sendAfterFlush ? host.disk.durable : host.disk.current
  }

  #report(host: Host): SessionReport {
    const file = this.#readable(host)
    return {
      sessionId: host.sessionId,
      logId: file.logId,
      firstRetained: file.rows[0]?.seq ?? 0,
      last: file.head,
      acked: file.acked,
      ackedEpoch: file.ackedEpoch,
    }
  }

  #judged(link: Link, reports: SessionReport[], verdicts: Verdict[]): void {
    if (this.#link !== link) return
    for (const verdict of verdicts) {
      const { sessionId } = verdict
      const report = reports.find((one) => one.sessionId === sessionId)
      const host = this.hosts.get(sessionId)
      if (!report || !host) continue
      link.served.add(sessionId)
      this.#rebase(link, sessionId, link.planner.verdict(verdict, { ...report, head: report.last }))
      link.planner.appended(sessionId, this.#readable(host).head)
    }
    this.#repeatStates()
    this.#news()
    this.#pump(link)
  }

  #rebase(link: Link, sessionId: string, order: RebaseOrder | null): void {
    const host = this.hosts.get(sessionId)
    if (!order || !host) return
    link.orders.set(sessionId, order)
    host.after(1, () =>
      host.rebase(order, link.welcome.hubEpoch, () =>
        this.after(1, () => {
          if (this.#link !== link || !link.orders.delete(sessionId)) return
          link.planner.rebased(sessionId, order.to, this.#readable(host).head)
          this.#pump(link)
        }),
      ),
    )
  }

  #pump(link: Link): void {
    const { kernel } = this.world
    const { batchEvents, windowEvents } = link.welcome.limits
    for (let turn = link.planner.next(); turn && this.#link === link; turn = link.planner.next()) {
      const { sessionId, after, upTo } = turn
      const host = this.hosts.get(sessionId)
      if (!host) return
      const file = this.#readable(host)
      const rows = file.rows.filter((row) => row.seq > after && row.seq <= upTo).slice(0, batchEvents)
      const events = kernel
        .fillHoles(after, upTo, rows, (from, to) => prunedGap(from, to, this.world.clock.now))
        .slice(0, batchEvents)
      const last = events.at(-1)
      if (!last) return
      link.planner.sent(sessionId, { last: lastSeq(last), events: events.length, bytes: events.length })
      link.inFlight += events.length
      const { plan } = this.world
      // The planner counts on answers in the order of sending, none lost: as on a real connection.
      const lossy = plan.reorder || plan.drop > 0 || plan.every.partition > 0
      demand(lossy || link.inFlight <= windowEvents, 'FLOW-1', () => `${link.inFlight} events in flight`)
      const { logId } = file
      const batch = { sessionId, logId, events }
      link.channel.ask(
        (hub, reply: (r: BatchReply) => void) => hub.agents.events(link.channel, batch, reply),
        (reply) => {
          if (this.#link !== link) return
          link.inFlight -= events.length
          this.#answered(link, sessionId, reply)
        },
        { ms: ackTimeoutMs, failed: () => this.#leave(link.channel) },
      )
    }
  }

  #answered(link: Link, sessionId: string, reply: BatchReply): void {
    const host = this.hosts.get(sessionId)
    if (!host) return
    if (reply.ok) {
      const { hubEpoch } = link.welcome
      this.point('agent.afterAck.beforePersist')
      host.disk.write((file) => ({
        ...file,
        acked: file.ackedEpoch === hubEpoch ? Math.max(file.acked, reply.acked) : reply.acked,
        ackedEpoch: hubEpoch,
      }))
      host.disk.flush(this, () => {})
      this.#rebase(link, sessionId, link.planner.acked(sessionId, reply.acked))
    } else if (reply.error.code === 'FENCED') {
      this.#leave(link.channel)
      return
    } else {
      const refused = link.planner.refused(sessionId, reply.error)
      if (refused.kind === 'rebase') this.#rebase(link, sessionId, refused.order)
    }
    this.#pump(link)
  }

  /** A real connection loses no single frame; this one does. */
  #repeatStates(): void {
    const link = this.#link
    if (!link) return
    for (const state of this.#states.values()) {
      if (link.served.has(state.sessionId)) link.channel.toHub((hub) => hub.agents.state(link.channel, state))
    }
  }

  #news(): void {
    const link = this.#link
    if (!link) return
    for (const host of this.hosts.values()) {
      if (!link.served.has(host.sessionId)) continue
      for (const row of Object.values(host.disk.durable.inbox)) {
        if (!row.newsDue) continue
        const { commandId, state } = row
        if (state === 'accepted' || state === 'started' || state === 'refused') continue
        link.channel.ask(
          (hub, reply: (ok: true) => void) => hub.agents.news(link.channel, commandId, state, reply),
          () => host.disk.write((file) => forgetNews(file, commandId)),
        )
      }
    }
  }
}

function forgetNews<F extends { inbox: Readonly<Record<string, { newsDue: boolean }>> }>(
  file: F,
  commandId: string,
): F {
  const row = file.inbox[commandId]
  return row ? { ...file, inbox: { ...file.inbox, [commandId]: { ...row, newsDue: false } } } : file
}
