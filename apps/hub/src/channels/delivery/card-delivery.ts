/** Shows permission requests, and edits each until its end is told (CHAN-6). Whoever decides, and wherever: the chat says so. */
import type { RequestView } from '@roundhouse/backend-types'
import { type Actor, type ChannelCardRow, type ChannelLinkRow, type ChatMessage, can } from '../../core'
import type { ChatServices } from '../port/chat-services'
import { requestMessage } from '../words/request-words'
import type { ChatSender } from './chat-sender'

export interface CardDeps {
  services: Pick<ChatServices, 'channelGate'>
  pageOf: (sessionId: string) => string
  now: () => number
}

const gone: ChatMessage = { text: 'This permission request is no longer here.' }

interface Shown {
  card: ChannelCardRow
  /** Undefined: it is gone, or may not be read. */
  request: RequestView | undefined
  message: ChatMessage
}

export class CardDelivery {
  readonly #sender: ChatSender
  readonly #deps: CardDeps
  /** What each message says, as far as this process wrote it. */
  readonly #texts = new Map<string, string>()

  constructor(sender: ChatSender, deps: CardDeps) {
    this.#sender = sender
    this.#deps = deps
  }

  /** By reference. */
  async messages(actor: Actor, cards: readonly ChannelCardRow[]): Promise<Map<string, ChatMessage>> {
    return new Map((await this.#shown(actor, cards)).map(({ card, message }) => [card.ref, message]))
  }

  /** False: each card in the chat says what is true. */
  async step(
    { link, actor }: { link: ChannelLinkRow; actor: Actor },
    cards: readonly ChannelCardRow[],
  ): Promise<boolean> {
    for (const shown of await this.#shown(actor, cards)) {
      const { messageId } = shown.card
      if (messageId === null) return this.#send(link, shown)
      if (this.#texts.get(messageId) !== textOf(shown.message)) return this.#edit(link, messageId, shown)
    }
    return false
  }

  async #shown(actor: Actor, cards: readonly ChannelCardRow[]): Promise<Shown[]> {
    const { services, pageOf } = this.#deps
    const requestIds = cards.map(({ requestId }) => requestId)
    const requests = new Map(
      (await services.channelGate.requests(actor, requestIds)).map((request) => [request.ask.requestId, request]),
    )
    const { messageLength } = this.#sender
    return cards.map((card) => {
      const request = requests.get(card.requestId)
      // The digest of the card is what a press decides. A request that says something else now is not shown under it.
      const isSame = request?.ask.digest === card.digest
      const ref = isSame && can(actor, 'permission.decide') ? card.ref : null
      const shown = { ref, address: pageOf(card.sessionId), messageLength }
      return { card, request, message: request ? requestMessage(request, shown) : gone }
    })
  }

  #send(link: ChannelLinkRow, { card: { ref }, request, message }: Shown): Promise<boolean> {
    return this.#sender.send(link, message, { what: 'card', ref }, (messageId) => {
      if (messageId === null) return { card: { ref, closedAt: this.#deps.now() } }
      this.#texts.set(messageId, textOf(message))
      return { card: { ref, messageId, ...this.#closed(request) } }
    })
  }

  async #edit(link: ChannelLinkRow, messageId: string, { card: { ref }, request, message }: Shown): Promise<boolean> {
    const isGone = (await this.#sender.edit(link, messageId, message)) === 'gone'
    const closed = isGone ? { closedAt: this.#deps.now() } : this.#closed(request)
    this.#texts.set(messageId, textOf(message))
    if ('closedAt' in closed) {
      this.#texts.delete(messageId)
      await this.#sender.write({ card: { ref, ...closed } })
    }
    return true
  }

  #closed(request: RequestView | undefined): { closedAt?: number } {
    return request?.outcome === 'open' ? {} : { closedAt: this.#deps.now() }
  }
}

const textOf = (message: ChatMessage): string => JSON.stringify(message)
