/** The agent daemon: keeps hosts alive, sends their logs by the planner, hands commands to them. */
import type { Command, CommandAnswer, HostState, LiveFrame, Verdict } from '@roundhouse/backend-types'
import type { Hub } from '../hub/hub'
import type { Channel } from '../world/network'
import { Proc } from '../world/proc'
import type { World } from '../world/world'
import type { Host } from './host'
import { type AgentWelcome, ackTimeoutMs, LogSender, reportOf } from './log-sender'

export type AgentChannel = Channel<Daemon, Hub>

export class Daemon extends Proc {
  sender: LogSender | null = null
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
    return this.sender?.isDrained() === true
  }

  // -- from the hosts

  doorbell(sessionId: string): void {
    if (this.up) this.after(1, () => this.sender?.doorbell(sessionId))
  }

  state(state: HostState): void {
    if (!this.up) return
    this.after(1, () => {
      this.#states.set(state.sessionId, state)
      const sender = this.sender
      if (sender?.served.has(state.sessionId)) sender.channel.toHub((hub) => hub.agents.state(sender.channel, state))
    })
  }

  news(): void {
    if (this.up) this.after(1, () => this.#news())
  }

  live(frame: LiveFrame): void {
    if (this.up) this.after(1, () => this.sender?.channel.toHub((hub) => hub.agents.live(frame)))
  }

  hostDied(sessionId: string): void {
    if (this.up) this.after(this.world.rng.between(5, 50), () => this.hosts.get(sessionId)?.start())
  }

  // -- from the hub

  welcomed(channel: AgentChannel, welcome: AgentWelcome): void {
    if (this.sender?.channel === channel) return
    this.#failures = 0
    const sender = new LogSender(this, channel, welcome)
    this.sender = sender
    const reports = [...this.hosts.values()].map(reportOf)
    channel.ask(
      (hub, reply: (verdicts: Verdict[]) => void) => hub.agents.sessions(channel, reports, reply),
      (verdicts) => {
        if (this.sender !== sender) return
        sender.judged(reports, verdicts)
        this.#repeatStates()
        this.#news()
        sender.pump()
      },
      { ms: ackTimeoutMs, failed: () => sender.served.size === 0 && this.leave(channel) },
    )
  }

  command(command: Command, reply: (answer: CommandAnswer) => void): void {
    this.hosts.get(command.sessionId)?.after(1, () => this.hosts.get(command.sessionId)?.receive(command, reply))
  }

  cancel(sessionId: string, commandId: string, reply: (answer: CommandAnswer) => void): void {
    this.hosts.get(sessionId)?.after(1, () => this.hosts.get(sessionId)?.cancel(commandId, reply))
  }

  lost(channel: AgentChannel): void {
    if (this.sender && this.sender.channel !== channel) return
    this.sender = null
    this.#failures += 1
    const { rng } = this.world
    this.after(rng.between(100, Math.min(10_000, 500 * 2 ** this.#failures)), () => this.#dial())
  }

  // -- life

  protected onStart(): void {
    this.sender = null
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
    this.sender?.channel.close('client')
    this.sender = null
    this.world.clock.after(this.world.rng.between(100, 3_000), () => this.start())
  }

  #dial(): void {
    if (this.sender) return
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
        this.after(5_000, () => this.sender?.channel !== channel && this.leave(channel))
      },
      () => this.#dial(),
    )
  }

  leave(channel: AgentChannel): void {
    if (!channel.isOpen('client')) return
    channel.close('client')
    this.lost(channel)
  }

  /** A real connection loses no single frame; this one does. */
  #repeatStates(): void {
    const sender = this.sender
    if (!sender) return
    for (const state of this.#states.values()) {
      if (sender.served.has(state.sessionId)) sender.channel.toHub((hub) => hub.agents.state(sender.channel, state))
    }
  }

  #news(): void {
    const sender = this.sender
    if (!sender) return
    for (const host of this.hosts.values()) {
      if (!sender.served.has(host.sessionId)) continue
      for (const row of Object.values(host.disk.durable.inbox)) {
        if (!row.newsDue) continue
        const { commandId, state } = row
        if (state === 'accepted' || state === 'started' || state === 'refused') continue
        sender.channel.ask(
          (hub, reply: (ok: true) => void) => hub.agents.news(sender.channel, commandId, state, reply),
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
