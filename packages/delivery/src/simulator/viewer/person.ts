/** The person before a browser tab: prompts, looks at what waits, decides. */
import type { Decision } from '@roundhouse/backend-types'
import type { Action, ActionReply, InboxReply } from '../hub/viewer-side'
import { askTimeoutMs, type Viewer } from './viewer'

const decisions: Decision[] = ['allow', 'allow', 'allow_session', 'deny', 'abort']

export class Person {
  readonly #viewer: Viewer
  readonly #open = new Map<string, { action: Action; hubEpoch: string }>()
  #hubEpoch = ''

  constructor(viewer: Viewer) {
    this.#viewer = viewer
  }

  connected(hubEpoch: string): void {
    this.#hubEpoch = hubEpoch
    for (const { action, hubEpoch: posted } of this.#open.values()) this.#post(action, posted)
  }

  /** Before a tab that knows nothing. */
  sitsDown(): void {
    this.#open.clear()
    const { rng } = this.#viewer.world
    this.#viewer.every(rng.between(1_000, 2_500), () => this.#look())
    this.#viewer.every(rng.between(800, 3_500), () => this.#prompt())
  }

  #prompt(): void {
    const { rng, calm } = this.#viewer.world
    const sessionId = rng.pick(this.#viewer.sessionIds)
    if (calm || !sessionId) return
    const commandId = this.#viewer.world.newId('cmd')
    const body = { kind: 'prompt.send' as const, promptId: commandId, text: `do ${commandId}` }
    this.#act({ kind: 'command', commandId, sessionId, body, ordered: true, lifeMs: rng.between(2_000, 30_000) })
  }

  #look(): void {
    this.#viewer.channel?.ask(
      (hub, reply: (r: InboxReply) => void) => hub.viewers.inbox(reply),
      (inbox) => this.#react(inbox),
    )
  }

  #react(inbox: InboxReply): void {
    const { rng, calm } = this.#viewer.world
    for (const request of inbox.pending) {
      if (!calm && rng.chance(0.3)) continue
      const decision = calm ? 'allow' : (rng.pick(decisions) ?? 'deny')
      this.#viewer.after(rng.between(0, 300), () =>
        this.#act({ kind: 'decide', commandId: this.#viewer.world.newId('cmd'), decision, ...request }),
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
    this.#act({ kind: 'command', commandId: this.#viewer.world.newId('cmd'), sessionId, body, ordered, lifeMs })
  }

  #act(action: Action): void {
    this.#open.set(action.commandId, { action, hubEpoch: this.#hubEpoch })
    this.#post(action, this.#hubEpoch)
  }

  /** Posted until answered: the id makes the repeat the same action (CMD-1). */
  #post(action: Action, hubEpoch: string): void {
    this.#viewer.channel?.ask(
      (hub, reply: (r: ActionReply) => void) => hub.viewers.act(action, hubEpoch, reply),
      () => this.#open.delete(action.commandId),
      { ms: askTimeoutMs, failed: () => this.#open.has(action.commandId) && this.#post(action, hubEpoch) },
    )
  }
}
