/** The agent daemon: keeps hosts alive, sends their logs as its link says, hands commands to them. */
import type { Command, CommandAnswer, HostState, LiveFrame } from '@roundhouse/backend-types'
import { type CommandNewsItem, LinkPace } from '../../index'
import type { Hub } from '../hub/hub'
import type { Channel } from '../world/network'
import { Proc } from '../world/proc'
import type { World } from '../world/world'
import { AgentLink, type AgentWelcome } from './agent-link'
import type { Host } from './host'

export type AgentChannel = Channel<Daemon, Hub>

export class Daemon extends Proc {
  #link: AgentLink | null = null
  #pace = new LinkPace()
  readonly #states = new Map<string, HostState>()

  constructor(
    world: World,
    readonly agentId: string,
    readonly hosts: ReadonlyMap<string, Host>,
    readonly hub: Hub,
  ) {
    super(world, `daemon(${agentId})`)
  }

  /** Of the connection that stands. */
  get hubEpoch(): string | undefined {
    return this.#link?.hubEpoch
  }

  isDrained(): boolean {
    return this.#link?.link.isDrained(this.hosts.keys()) === true
  }

  // -- from the hosts

  doorbell(sessionId: string): void {
    if (this.up) this.after(1, () => this.#link?.doorbell(sessionId))
  }

  state(state: HostState): void {
    if (!this.up) return
    this.after(1, () => {
      this.#states.set(state.sessionId, state)
      this.#tellState(state)
    })
  }

  news(): void {
    if (this.up) this.after(1, () => this.#news())
  }

  live(frame: LiveFrame): void {
    if (this.up) this.after(1, () => this.#link?.channel.toHub((hub) => hub.agents.live(frame)))
  }

  hostDied(sessionId: string): void {
    if (this.up) this.after(this.world.rng.between(5, 50), () => this.hosts.get(sessionId)?.start())
  }

  // -- from the hub

  welcomed(channel: AgentChannel, welcome: AgentWelcome): void {
    if (this.#link?.channel === channel) this.#link.welcomed(welcome)
  }

  command(command: Command, reply: (answer: CommandAnswer) => void): void {
    this.hosts.get(command.sessionId)?.after(1, () => this.hosts.get(command.sessionId)?.receive(command, reply))
  }

  cancel(sessionId: string, commandId: string, reply: (answer: CommandAnswer) => void): void {
    this.hosts.get(sessionId)?.after(1, () => this.hosts.get(sessionId)?.cancel(commandId, reply))
  }

  // -- from its link

  isOnline(): void {
    this.#repeatStates()
    this.#news()
  }

  ended(link: AgentLink, lived: boolean): void {
    link.channel.close('client')
    if (this.#link !== link) return
    this.#link = null
    this.#dialLater(lived)
  }

  newsDelivered({ sessionId, commandId }: CommandNewsItem): void {
    this.hosts.get(sessionId)?.disk.write((file) => forgetNews(file, commandId))
  }

  // -- life

  protected onStart(): void {
    this.#link = null
    this.#pace = new LinkPace()
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

  #dialLater(lived: boolean): void {
    const ms = this.#pace.pauseMs({ lived }, this.world.rng.next())
    this.after(ms, () => this.#dial())
  }

  #dial(): void {
    if (this.#link) return
    const closed = {
      client: (channel: AgentChannel) => {
        if (this.#link?.channel === channel) this.#link.hear({ kind: 'failed', reason: 'the connection was lost' })
      },
      hub: (channel: AgentChannel) => this.hub.agents.closed(channel),
    }
    this.hub.dial(
      this,
      this.agentId,
      closed,
      (channel) => {
        this.#link = new AgentLink(this, channel)
        channel.toHub((hub) => hub.agents.accept(channel))
      },
      () => this.#dialLater(false),
    )
  }

  #tellState(state: HostState): void {
    const { channel, link } = this.#link ?? {}
    if (channel && link?.of(state.sessionId).stage === 'judged')
      channel.toHub((hub) => hub.agents.state(channel, state))
  }

  /** A real connection loses no single frame; this one does. */
  #repeatStates(): void {
    for (const state of this.#states.values()) this.#tellState(state)
  }

  #news(): void {
    for (const { sessionId, disk } of this.hosts.values()) {
      if (this.#link?.link.of(sessionId).stage !== 'judged') continue
      for (const { newsDue, commandId, state } of Object.values(disk.durable.inbox)) {
        if (!newsDue || state === 'accepted' || state === 'started' || state === 'refused') continue
        this.#link.hear({ kind: 'newsDue', item: { commandId, sessionId, answer: { state } } })
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
