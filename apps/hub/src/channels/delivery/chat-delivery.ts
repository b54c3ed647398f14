/**
 * Delivers into one chat, one message after the other: answers of the hub, permission requests, and what the session says, from
 * a place in its log that is stored (CHAN-5). Before a message is sent, what it is and a mark are stored; after it, its id and the
 * place behind it. So after a crash or a lost answer the hub looks for the message before it sends it again.
 */
import { type Actor, type ChannelLinkRow, WakeLoop } from '../../core'
import { EDIT_MS, restMs } from '../pacing/pacing'
import { ChannelError, faultOf } from '../port/channel'
import { CardDelivery } from './card-delivery'
import { ChatSender, type SenderDeps } from './chat-sender'
import { SessionDelivery } from './session-delivery'

export interface DeliveryDeps extends SenderDeps {
  /** Address of a session on the page. */
  pageOf: (sessionId: string) => string
  now: () => number
  /** Sessions of which the chat is told something. */
  follows: (sessionIds: readonly string[]) => void
  onError: (error: unknown) => void
}

/** The person has closed the chat. It is tried again after this, or when they write. */
const CLOSED_MS = 10 * 60_000

export class ChatDelivery {
  readonly #deps: DeliveryDeps
  readonly #linkId: string
  readonly #loop: WakeLoop
  readonly #stopped = new AbortController()
  readonly #sender: ChatSender
  readonly #cards: CardDelivery
  readonly #session: SessionDelivery
  /** Ends the rest after a failure. */
  #rest: AbortController | null = null
  #failures = 0
  #isLiveDue = false
  #liveComes = false

  constructor(linkId: string, deps: DeliveryDeps) {
    this.#linkId = linkId
    this.#deps = deps
    this.#loop = new WakeLoop({ step: () => this.#try(), onError: deps.onError })
    this.#sender = new ChatSender(linkId, this.#stopped.signal, deps)
    this.#cards = new CardDelivery(this.#sender, deps)
    this.#session = new SessionDelivery(this.#sender, deps)
  }

  /** There may be something to deliver. */
  wake(): void {
    this.#loop.wake()
  }

  /** The chat or the service is there again. */
  nudge(): void {
    this.#rest?.abort()
    this.wake()
  }

  /** The program writes. Short answers are whole before this is over. */
  liveWake(): void {
    if (this.#liveComes) return
    this.#liveComes = true
    void this.#deps.wait(EDIT_MS, this.#stopped.signal).then(() => {
      this.#liveComes = false
      this.#isLiveDue = true
      this.wake()
    })
  }

  async stop(): Promise<void> {
    this.#stopped.abort()
    this.#rest?.abort()
    await this.#loop.stop()
  }

  /** False: there is nothing to deliver. A step that fails is tried again after a rest. */
  async #try(): Promise<boolean> {
    try {
      const isMore = await this.#step()
      this.#failures = 0
      return isMore
    } catch (error) {
      await this.#restAfter(error)
      return true
    }
  }

  /** False: there is nothing to deliver. */
  async #step(): Promise<boolean> {
    const chat = await this.#chat()
    if (!chat) return false
    const { link } = chat
    const { channelGate } = this.#deps.services
    const cards = await channelGate.openCards(this.#linkId)
    this.#deps.follows([
      ...(link.sessionId === null ? [] : [link.sessionId]),
      ...cards.map(({ sessionId }) => sessionId),
    ])
    const reply = await channelGate.nextReply(this.#linkId)
    if (link.sending) return this.#sender.find(link, link.sending, await this.#cards.messages(chat.actor, cards), reply)
    if (reply) {
      const { n, body } = reply
      return this.#sender.send(link, body, { what: 'reply', n }, () => ({ saidReply: n }))
    }
    if (await this.#cards.step(chat, cards)) return true
    const isLive = this.#isLiveDue
    this.#isLiveDue = false
    const more = await this.#session.step(chat, isLive)
    if (more === 'live') this.#isLiveDue = true
    return more !== false
  }

  /** Null: it is linked no more, or its rights have ended. */
  async #chat(): Promise<{ link: ChannelLinkRow; actor: Actor } | null> {
    const { channelGate } = this.#deps.services
    const link = await channelGate.link(this.#linkId)
    const actor = link ? await channelGate.actorOf(link) : null
    return link && actor ? { link, actor } : null
  }

  async #restAfter(error: unknown): Promise<void> {
    const { signal } = this.#stopped
    if (signal.aborted) return
    const fault = faultOf(error)
    if (fault === null) this.#deps.onError(error)
    if (error instanceof ChannelError && fault === 'later') return this.#deps.wait(error.retryAfterMs, signal)
    this.#rest = new AbortController()
    const ms = fault === 'closed' ? CLOSED_MS : restMs(this.#failures)
    this.#failures += 1
    await this.#deps.wait(ms, AbortSignal.any([signal, this.#rest.signal]))
    this.#rest = null
  }
}
