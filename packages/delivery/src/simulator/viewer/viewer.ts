/** A browser tab: nothing survives its reload. It renders what the kernel lets it, and a person behind it does things. */
import type { LiveFrame, PermissionAnswer, StoredEvent } from '@roundhouse/backend-types'
import { closeBlocks, emptyBlocks, type LiveBlocks, type Missing, openCursor, type ViewCursor } from '../../index'
import type { Hub } from '../hub/hub'
import type { Action, ActionReply, InboxReply, SnapshotReply } from '../hub/viewer-side'
import { eventOf } from '../machine/bodies'
import type { Channel } from '../world/network'
import { Proc } from '../world/proc'
import type { World } from '../world/world'

export type ViewerChannel = Channel<Viewer, Hub>

interface Page {
  cursor: ViewCursor
  rendered: StoredEvent[]
  blocks: LiveBlocks
}

const answers: PermissionAnswer[] = ['allow', 'allow', 'allow_session', 'deny', 'abort']
const askTimeoutMs = 5_000

export class Viewer extends Proc {
  #channel: ViewerChannel | null = null
  readonly pages = new Map<string, Page>()
  readonly #open = new Map<string, { action: Action; hubEpoch: string }>()
  #hubEpoch = ''

  constructor(
    world: World,
    readonly viewerId: string,
    readonly sessionIds: readonly string[],
    readonly hub: Hub,
  ) {
    super(world, viewerId)
  }

  welcomed(channel: ViewerChannel, hubEpoch: string): void {
    this.world.trace(() => `${this.name} is connected`)
    this.#channel = channel
    this.#hubEpoch = hubEpoch
    for (const sessionId of this.sessionIds) this.#join(channel, sessionId)
    for (const { action, hubEpoch: posted } of this.#open.values()) this.#post(action, posted)
  }

  lost(channel: ViewerChannel): void {
    if (this.#channel && this.#channel !== channel) return
    this.#channel = null
    this.after(this.world.rng.between(100, 2_000), () => this.#dial())
  }

  events(channel: ViewerChannel, sessionId: string, events: readonly StoredEvent[]): void {
    const page = this.pages.get(sessionId)
    if (!page || channel !== this.#channel) return
    const step = this.world.kernel.receiveEvents(page.cursor, events)
    page.cursor = step.cursor
    this.world.truth.shown(page.cursor.hubEpoch, sessionId, step.apply)
    for (const event of step.apply) {
      page.rendered.push(event)
      page.blocks = closeBlocks(page.blocks, eventOf(event), event.seq)
    }
    this.#fetch(channel, sessionId, step.missing)
  }

  head(channel: ViewerChannel, sessionId: string, head: number): void {
    const page = this.pages.get(sessionId)
    if (page && channel === this.#channel)
      this.#fetch(channel, sessionId, this.world.kernel.receiveHead(page.cursor, head))
  }

  live(frame: LiveFrame): void {
    const page = this.pages.get(frame.sessionId)
    if (!page) return
    page.blocks = this.world.kernel.applyFrame(page.blocks, frame).blocks
    for (const { blockId, from, text } of page.blocks.open) this.world.truth.showedLive(blockId, from, text)
  }

  protected onStart(): void {
    this.#channel = null
    this.pages.clear()
    this.#open.clear()
    this.#dial()
    const { rng } = this.world
    this.every(rng.between(1_000, 2_500), () => this.#look())
    this.every(rng.between(800, 3_500), () => this.#prompt())
  }

  protected onCrash(): void {
    this.#channel?.close('client')
    this.#channel = null
    this.world.clock.after(this.world.rng.between(50, 2_000), () => this.start())
  }

  #dial(): void {
    if (this.#channel) return
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
        this.after(askTimeoutMs, () => this.#channel !== channel && this.#leave(channel))
      },
      () => this.#dial(),
    )
  }

  #leave(channel: ViewerChannel): void {
    if (!channel.isOpen('client')) return
    channel.close('client')
    this.lost(channel)
  }

  #join(channel: ViewerChannel, sessionId: string): void {
    const page = this.pages.get(sessionId)
    if (!page) {
      this.#snapshot(channel, sessionId)
      return
    }
    const { last, hubEpoch } = page.cursor
    channel.ask(
      (hub, reply: (r: 'ok' | 'snapshot') => void) => hub.viewers.watch(channel, sessionId, last, hubEpoch, reply),
      (r) => r === 'snapshot' && this.#snapshot(channel, sessionId),
      { ms: askTimeoutMs, failed: () => this.#leave(channel) },
    )
  }

  #snapshot(channel: ViewerChannel, sessionId: string): void {
    this.pages.delete(sessionId)
    channel.ask(
      (hub, reply: (r: SnapshotReply | null) => void) => hub.viewers.snapshot(sessionId, reply),
      (r) => {
        if (channel !== this.#channel) return
        if (!r) {
          this.after(500, () => channel === this.#channel && this.#snapshot(channel, sessionId))
          return
        }
        this.world.truth.shown(r.hubEpoch, sessionId, r.events)
        this.world.trace(() => `${this.name} has ${sessionId} up to ${r.head} in ${r.hubEpoch}`)
        this.pages.set(sessionId, {
          cursor: openCursor(r.hubEpoch, r.head),
          rendered: [...r.events],
          blocks: emptyBlocks(),
        })
        this.#join(channel, sessionId)
      },
      { ms: askTimeoutMs, failed: () => this.#leave(channel) },
    )
  }

  #fetch(channel: ViewerChannel, sessionId: string, missing: Missing | null): void {
    if (!missing) return
    channel.ask(
      (hub, reply: (r: SnapshotReply) => void) => hub.viewers.page(sessionId, missing.after, missing.upTo, reply),
      (r) => {
        const page = this.pages.get(sessionId)
        if (!page || channel !== this.#channel) return
        if (r.hubEpoch !== page.cursor.hubEpoch) {
          this.#snapshot(channel, sessionId)
          return
        }
        this.events(channel, sessionId, r.events)
        this.head(channel, sessionId, r.head)
      },
    )
  }

  // -- the person

  #prompt(): void {
    const { rng, calm } = this.world
    const sessionId = rng.pick(this.sessionIds)
    if (calm || !sessionId) return
    const commandId = this.world.newId('cmd')
    const body = { kind: 'prompt.send' as const, promptId: commandId, text: `do ${commandId}` }
    this.#act({ kind: 'command', commandId, sessionId, body, ordered: true, lifeMs: rng.between(2_000, 30_000) })
  }

  #look(): void {
    this.#channel?.ask(
      (hub, reply: (r: InboxReply) => void) => hub.viewers.inbox(reply),
      (inbox) => this.#react(inbox),
    )
  }

  #react(inbox: InboxReply): void {
    const { rng, calm } = this.world
    for (const request of inbox.pending) {
      if (!calm && rng.chance(0.3)) continue
      const answer = calm ? 'allow' : (rng.pick(answers) ?? 'deny')
      this.after(rng.between(0, 300), () =>
        this.#act({ kind: 'decide', commandId: this.world.newId('cmd'), answer, ...request }),
      )
    }
    for (const sessionId of inbox.held) {
      if (calm || rng.chance(0.3)) this.#order(sessionId, { kind: 'queue.release' }, 10_000)
    }
    if (calm) return
    for (const { sessionId, turnId } of inbox.running) {
      if (rng.chance(0.05)) this.#order(sessionId, { kind: 'turn.interrupt', turnId }, 5_000)
    }
    for (const { sessionId, promptId, rev } of inbox.queued) {
      if (rng.chance(0.1)) this.#order(sessionId, { kind: 'queue.remove', promptId, rev }, 10_000)
    }
  }

  #order(sessionId: string, body: Extract<Action, { kind: 'command' }>['body'], lifeMs: number): void {
    const ordered = body.kind !== 'turn.interrupt'
    this.#act({ kind: 'command', commandId: this.world.newId('cmd'), sessionId, body, ordered, lifeMs })
  }

  #act(action: Action): void {
    this.#open.set(action.commandId, { action, hubEpoch: this.#hubEpoch })
    this.#post(action, this.#hubEpoch)
  }

  /** Posted until answered: the id makes the repeat the same action (CMD-1). */
  #post(action: Action, hubEpoch: string): void {
    this.#channel?.ask(
      (hub, reply: (r: ActionReply) => void) => hub.viewers.act(action, hubEpoch, reply),
      () => this.#open.delete(action.commandId),
      { ms: askTimeoutMs, failed: () => this.#open.has(action.commandId) && this.#post(action, hubEpoch) },
    )
  }
}
