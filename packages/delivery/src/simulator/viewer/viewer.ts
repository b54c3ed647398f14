/** A browser tab: nothing survives its reload. Each of its pages runs the machine of a viewer, and a person does things. */
import type { LiveFrame, SessionView, StoredEvent } from '@roundhouse/backend-types'
import type { Hub } from '../hub/hub'
import type { Channel } from '../world/network'
import { Proc } from '../world/proc'
import type { World } from '../world/world'
import { Page } from './page'
import { Person } from './person'

export type ViewerChannel = Channel<Viewer, Hub>

/** Without an answer for so long, the connection or the question is given up. */
export const askTimeoutMs = 5_000

export class Viewer extends Proc {
  channel: ViewerChannel | null = null
  readonly pages = new Map<string, Page>()
  readonly #person: Person

  constructor(
    world: World,
    readonly viewerId: string,
    readonly sessionIds: readonly string[],
    readonly hub: Hub,
  ) {
    super(world, viewerId)
    this.#person = new Person(this)
  }

  welcomed(channel: ViewerChannel, hubEpoch: string): void {
    if (this.channel === channel) return
    this.world.trace(() => `${this.name} is connected`)
    this.channel = channel
    for (const page of this.pages.values()) page.hear({ kind: 'connected' })
    this.#person.connected(hubEpoch)
  }

  lost(channel: ViewerChannel): void {
    if (this.channel && this.channel !== channel) return
    if (this.channel) for (const page of this.pages.values()) page.hear({ kind: 'disconnected' })
    this.channel = null
    this.after(this.world.rng.between(100, 2_000), () => this.#dial())
  }

  events(channel: ViewerChannel, sessionId: string, events: readonly StoredEvent[]): void {
    if (channel === this.channel) this.pages.get(sessionId)?.hear({ kind: 'eventsCame', events: [...events] })
  }

  head(channel: ViewerChannel, sessionId: string, head: number): void {
    if (channel === this.channel) this.pages.get(sessionId)?.hear({ kind: 'headCame', head })
  }

  view(channel: ViewerChannel, view: SessionView): void {
    if (channel === this.channel) this.pages.get(view.sessionId)?.hear({ kind: 'viewCame', view })
  }

  live(channel: ViewerChannel, frame: LiveFrame): void {
    if (channel === this.channel) this.pages.get(frame.sessionId)?.hear({ kind: 'framesCame', frames: [frame] })
  }

  protected onStart(): void {
    this.channel = null
    this.pages.clear()
    for (const sessionId of this.sessionIds) this.pages.set(sessionId, new Page(this, sessionId))
    for (const page of this.pages.values()) page.open()
    this.#dial()
    this.#person.sitsDown()
  }

  protected onCrash(): void {
    this.channel?.close('client')
    this.channel = null
    this.world.clock.after(this.world.rng.between(50, 2_000), () => this.start())
  }

  #dial(): void {
    if (this.channel) return
    const closed = {
      client: (channel: ViewerChannel) => this.lost(channel),
      hub: (channel: ViewerChannel) => this.hub.viewers.closed(channel),
    }
    this.hub.dial(
      this,
      this.viewerId,
      closed,
      (channel) => {
        channel.toHub((hub) => hub.viewers.accept(channel))
        this.after(askTimeoutMs, () => this.channel !== channel && this.#leave(channel))
      },
      () => this.#dial(),
    )
  }

  #leave(channel: ViewerChannel): void {
    if (!channel.isOpen('client')) return
    channel.close('client')
    this.lost(channel)
  }
}
