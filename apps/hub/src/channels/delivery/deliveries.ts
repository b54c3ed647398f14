/** The deliveries into all chats of one bot, and what wakes them: the doorbells of the sessions that they follow. */
import type { DoorbellMap } from '../../core'
import { ChatDelivery, type DeliveryDeps } from './chat-delivery'

export type DeliveriesDeps = Omit<DeliveryDeps, 'follows'>

export class Deliveries {
  readonly #deps: DeliveriesDeps
  readonly #chats = new Map<string, ChatDelivery>()
  /** The links that follow each session. */
  readonly #followers = new Map<string, Set<string>>()
  readonly #followed = new Map<string, readonly string[]>()
  readonly #ends: Array<() => void>
  #stopped = false

  constructor(deps: DeliveriesDeps) {
    this.#deps = deps
    const { doorbells } = deps.services
    const ofSession = ({ sessionId }: Pick<DoorbellMap['events'], 'sessionId'>) => {
      for (const chat of this.#following(sessionId)) chat.wake()
    }
    this.#ends = [
      doorbells.on('events', ofSession),
      doorbells.on('session', ofSession),
      doorbells.on('live', ({ sessionId }) => {
        for (const chat of this.#following(sessionId)) chat.liveWake()
      }),
    ]
  }

  /** The chat was used, or something is to be delivered. */
  wake(linkId: string): void {
    this.#of(linkId)?.nudge()
  }

  /** All that are linked, and those that were. */
  wakeAll(linkIds: readonly string[]): void {
    for (const linkId of new Set([...linkIds, ...this.#chats.keys()])) this.wake(linkId)
  }

  async stop(): Promise<void> {
    this.#stopped = true
    for (const end of this.#ends) end()
    await Promise.all([...this.#chats.values()].map((chat) => chat.stop()))
  }

  #of(linkId: string): ChatDelivery | undefined {
    const known = this.#chats.get(linkId)
    if (known || this.#stopped) return known
    const follows = (sessionIds: readonly string[]) => this.#follow(linkId, sessionIds)
    const made = new ChatDelivery(linkId, { ...this.#deps, follows })
    this.#chats.set(linkId, made)
    return made
  }

  #following(sessionId: string): ChatDelivery[] {
    const linkIds = this.#followers.get(sessionId)
    return linkIds ? [...linkIds].flatMap((linkId) => this.#chats.get(linkId) ?? []) : []
  }

  #follow(linkId: string, sessionIds: readonly string[]): void {
    for (const sessionId of this.#followed.get(linkId) ?? []) {
      const all = this.#followers.get(sessionId)
      all?.delete(linkId)
      if (all?.size === 0) this.#followers.delete(sessionId)
    }
    this.#followed.set(linkId, sessionIds)
    for (const sessionId of sessionIds)
      this.#followers.set(sessionId, (this.#followers.get(sessionId) ?? new Set()).add(linkId))
  }
}
