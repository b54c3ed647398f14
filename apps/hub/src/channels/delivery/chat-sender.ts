/** Sends one message at a time into a chat, so that none is sent twice: with what is stored before and after it. */
import {
  type ChannelCardRow,
  type ChannelLinkRow,
  type ChannelReplyRow,
  type ChannelStep,
  type ChatMessage,
  type Sending,
  TokenBucket,
} from '../../core'
import { messagesPace, type Wait } from '../pacing/pacing'
import { type Channel, faultOf } from '../port/channel'
import type { ChatServices } from '../port/chat-services'

export interface SenderDeps {
  channel: Channel
  services: ChatServices
  /** Milliseconds of a monotonic clock. */
  elapsed: () => number
  wait: Wait
  onError: (error: unknown) => void
}

type Unmarked<S = Sending> = S extends Sending ? Omit<S, 'mark'> : never

/** Stands in a message that was found, until it is edited. */
const found = { text: '…' } as const

export class ChatSender {
  readonly #linkId: string
  readonly #signal: AbortSignal
  readonly #deps: SenderDeps
  readonly #pace: TokenBucket

  constructor(linkId: string, signal: AbortSignal, deps: SenderDeps) {
    this.#linkId = linkId
    this.#signal = signal
    this.#deps = deps
    this.#pace = new TokenBucket(messagesPace, deps.elapsed())
  }

  get messageLength(): number {
    return this.#deps.channel.messageLength
  }

  /** `then`: what is written once the message has an id, or is refused for ever (null). True: something changed. */
  async send(
    link: ChannelLinkRow,
    message: ChatMessage,
    sending: Unmarked,
    then: (messageId: string | null) => ChannelStep,
  ): Promise<boolean> {
    const { channel, services } = this.#deps
    await this.#paced()
    if ((await services.channelGate.actorOf(link)) === null) return false
    const mark = channel.newMark(link.lastMessage)
    if (!(await this.write({ link: { sending: { ...sending, mark } as Sending } }))) return false
    let messageId: string
    try {
      messageId = await channel.send(link.chatId, message, mark, this.#signal)
    } catch (error) {
      await this.#notSent(error, then)
      return true
    }
    const { link: change, ...step } = then(messageId)
    const linkStep = { ...change, sending: null, lastMessage: messageId }
    await services.channelGate.sent({ ...step, linkId: this.#linkId, link: linkStep })
    return true
  }

  /** Where nobody knows whether it was sent, the mark stays, and `find` is next. */
  async #notSent(error: unknown, then: (messageId: null) => ChannelStep): Promise<void> {
    const fault = faultOf(error)
    if (fault === 'refused') {
      this.#deps.onError(error)
      const { link, ...step } = then(null)
      await this.write({ ...step, link: { ...link, sending: null } })
      return
    }
    if (fault !== 'unsure' && fault !== null) await this.write({ link: { sending: null } })
    throw error
  }

  /** Looks for the message that may have been sent. True always: what follows depends on it. */
  async find(
    { chatId }: ChannelLinkRow,
    sending: Sending,
    cards: ReadonlyMap<string, ChatMessage>,
    reply: ChannelReplyRow | undefined,
  ): Promise<boolean> {
    const message = messageOf(sending, cards, reply)
    const messageId = message && (await this.#deps.channel.findSent(chatId, message, sending.mark, this.#signal))
    const step = messageId === null ? {} : stepOf(sending, messageId)
    const lastMessage = messageId === null ? {} : { lastMessage: messageId }
    await this.write({ ...step, link: { sending: null, ...lastMessage } })
    return true
  }

  /** Null: it says that by now. `gone`: there is no such message. */
  async edit(link: ChannelLinkRow, messageId: string, message: ChatMessage): Promise<'gone' | null> {
    await this.#paced()
    return this.#orGone(() => this.#deps.channel.edit(link.chatId, messageId, message, this.#signal))
  }

  async remove(link: ChannelLinkRow, messageId: string): Promise<void> {
    await this.#paced()
    await this.#orGone(() => this.#deps.channel.remove(link.chatId, messageId, this.#signal))
  }

  /** False: the link is gone. */
  write(step: ChannelStep): Promise<boolean> {
    return this.#deps.services.channelGate.write({ ...step, linkId: this.#linkId })
  }

  async #orGone(work: () => Promise<void>): Promise<'gone' | null> {
    try {
      await work()
      return null
    } catch (error) {
      const fault = faultOf(error)
      if (fault === 'refused') this.#deps.onError(error)
      if (fault === 'refused' || fault === 'gone') return 'gone'
      throw error
    }
  }

  async #paced(): Promise<void> {
    const ms = this.#pace.take(1, this.#deps.elapsed())
    if (ms === 0 || ms === null || this.#signal.aborted) return
    await this.#deps.wait(ms, this.#signal)
    return this.#paced()
  }
}

function messageOf(
  sending: Sending,
  cards: ReadonlyMap<string, ChatMessage>,
  reply: ChannelReplyRow | undefined,
): ChatMessage | null {
  if (sending.what === 'part') return found
  if (sending.what === 'card') return cards.get(sending.ref) ?? null
  return reply?.n === sending.n ? reply.body : null
}

/** What is known of a message once it has an id. */
function stepOf(sending: Sending, messageId: string): ChannelStep {
  switch (sending.what) {
    case 'reply':
      return { saidReply: sending.n }
    case 'card':
      return { card: { ref: sending.ref, messageId } satisfies Partial<ChannelCardRow> & { ref: string } }
    case 'part': {
      // It takes the text of its part as if it still grew.
      const { sessionId, seq, part, blockId } = sending
      return { place: { from: { sessionId, seq }, change: { part, blockId, openMessage: messageId } } }
    }
  }
}
