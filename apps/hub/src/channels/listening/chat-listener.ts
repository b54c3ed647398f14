/**
 * Handles what people do in the chats of one bot, in order (CHAN-4). The number of the next update is written together with what
 * the chat is told, after the act, which has the key of the update: an update that comes again is answered like the first time.
 */
import { type ChannelKind, CodedError, channelNames } from '@roundhouse/backend-types'
import {
  type ChannelLinkRow,
  type Handled,
  hubKey,
  OnceAMinute,
  PersonPace,
  readLinkCode,
  TokenBucket,
} from '../../core'
import type { Channel, ChannelUpdate, Heard } from '../port/channel'
import type { ChatServices } from '../port/chat-services'
import { refusals, unlinkedWords, welcomeMessage } from '../words/chat-words'
import { endOf } from '../words/request-words'
import {
  type ChatTurn,
  choosePlace,
  chooseSession,
  type Outcome,
  orRefused,
  refusalWords,
  runCommand,
  sendText,
} from './chat-acts'
import { type Pressed, readPress, readText } from './read-text'

export interface ListenerDeps {
  bot: { kind: ChannelKind; botId: string }
  channel: Channel
  services: ChatServices
  now: () => number
  /** Milliseconds of a monotonic clock. */
  elapsed: () => number
  /** Something is to be delivered into the chat of this link. */
  wake: (linkId: string) => void
  signal: AbortSignal
}

/** Of one chat. A long text that is pasted comes as several messages. */
const messages = { burst: 30, perSecond: 1 }
const codes = { burst: 5, perSecond: 5 / 600 }
/** What all chats together may try. */
const allCodes = { burst: 100, perSecond: 0.2 }

type Said = Extract<Heard, { kind: 'text' | 'not_text' }>
type Press = Extract<Heard, { kind: 'press' }>

export class ChatListener {
  readonly #deps: ListenerDeps
  readonly #messages: PersonPace
  readonly #codes: PersonPace
  readonly #allCodes: TokenBucket
  readonly #strangers: OnceAMinute

  constructor(deps: ListenerDeps) {
    this.#deps = deps
    this.#messages = new PersonPace(messages, deps.elapsed)
    this.#codes = new PersonPace(codes, deps.elapsed)
    this.#allCodes = new TokenBucket(allCodes, deps.elapsed())
    this.#strangers = new OnceAMinute(deps.elapsed)
  }

  /** Throws where it should be tried again. */
  async handle({ id, heard }: ChannelUpdate): Promise<void> {
    const handled = { ...this.#deps.bot, next: id + 1 }
    switch (heard.kind) {
      case 'nothing':
        return this.#skip(handled)
      case 'group':
        return this.#leave(heard.chatId, handled)
      case 'press':
        return this.#pressed(heard, handled)
      default:
        return this.#said(heard, handled)
    }
  }

  /** It cannot be handled, however often it is tried. */
  async skip({ id, heard }: ChannelUpdate): Promise<void> {
    await this.#skip({ ...this.#deps.bot, next: id + 1 })
    if (heard.kind === 'text') this.#tell(heard.chatId, refusals.broken)
  }

  async #skip(handled: Handled): Promise<void> {
    await this.#deps.services.channelGate.write({ handled })
  }

  async #leave(chatId: string, handled: Handled): Promise<void> {
    await this.#skip(handled)
    if (!this.#strangers.isNews(chatId)) return
    await this.#deps.channel.leave(chatId, refusals.group, this.#deps.signal).catch(() => {})
  }

  async #turnOf(chatId: string, { next, kind, botId }: Handled): Promise<ChatTurn | null> {
    const { channelGate } = this.#deps.services
    const link = await channelGate.linkOfChat(kind, chatId)
    const actor = link ? await channelGate.actorOf(link) : null
    return link && actor ? { link, actor, key: hubKey('ch', botId, next - 1), now: this.#deps.now() } : null
  }

  async #said(said: Said, handled: Handled): Promise<void> {
    const asked = said.kind === 'text' ? readText(said.text) : null
    if (asked?.kind === 'command') {
      const isCode = asked.command === 'link' || (asked.command === 'start' && asked.rest !== '')
      if (isCode) return this.#claim(said, asked.rest, handled)
    }
    const turn = await this.#turnOf(said.chatId, handled)
    if (!turn) {
      await this.#skip(handled)
      if (this.#strangers.isNews(said.chatId)) this.#tell(said.chatId, refusals.stranger)
      return
    }
    if (asked?.kind === 'command' && asked.command === 'unlink') return this.#unlink(turn, handled)
    const outcome = await orRefused(async () => {
      this.#messages.require({ userId: said.chatId })
      if (asked === null) return { replies: [{ text: refusals.notText }] }
      if (asked.kind === 'prompt') return sendText(this.#deps.services, turn, asked.text)
      return runCommand(this.#deps.services, turn, asked.command as Exclude<typeof asked.command, 'link' | 'unlink'>)
    })
    await this.#write(turn.link, handled, outcome, said.messageId)
  }

  async #claim({ chatId, chatName, messageId }: Said, rest: string, handled: Handled): Promise<void> {
    const refused = (why: string) => this.#skip(handled).then(() => this.#tell(chatId, why))
    if (!this.#mayTry(chatId)) {
      // A service slows a bot that says much, and all of its chats with it.
      const isNews = this.#strangers.isNews(`codes ${chatId}`)
      return isNews ? refused(refusals.tooManyCodes) : this.#skip(handled)
    }
    const code = readLinkCode(rest)
    const { channelGate } = this.#deps.services
    if (code === null) return refused(refusals.wrongCode)
    const chat = { chatId, chatName, lastMessage: messageId, code, welcome: welcomeMessage }
    if (!(await channelGate.claim(chat, handled))) return this.#tell(chatId, refusals.wrongCode)
    const link = await channelGate.linkOfChat(handled.kind, chatId)
    if (link) this.#deps.wake(link.linkId)
  }

  #mayTry(chatId: string): boolean {
    try {
      this.#codes.require({ userId: chatId })
      return this.#allCodes.take(1, this.#deps.elapsed()) === 0
    } catch {
      return false
    }
  }

  async #unlink({ actor, link }: ChatTurn, handled: Handled): Promise<void> {
    await this.#deps.services.channelGate.unlink(actor, handled)
    this.#tell(link.chatId, unlinkedWords(handled.kind))
  }

  async #pressed(press: Press, handled: Handled): Promise<void> {
    const turn = await this.#turnOf(press.chatId, handled)
    const pressed = readPress(press.data)
    const answer = (text: string) => {
      const { channel, signal } = this.#deps
      channel.answerPress(press.pressId, text, signal).catch(() => {})
    }
    if (!turn || !pressed) {
      await this.#skip(handled)
      return answer(turn ? oldButton : refusals.stranger)
    }
    if (pressed.kind === 'decision') {
      const came = await this.#decide(turn, pressed)
      await this.#write(turn.link, handled, {})
      return answer(came)
    }
    const outcome = await orRefused(async () => {
      this.#messages.require({ userId: press.chatId })
      const choose = pressed.kind === 'session' ? chooseSession : choosePlace
      return choose(this.#deps.services, turn, pressed.sessionId)
    })
    await this.#write(turn.link, handled, outcome)
    answer('')
  }

  /** Rights are judged now, and the first decision wins, as on the page. Returns what came of it. */
  async #decide(turn: ChatTurn, { ref, decision }: Extract<Pressed, { kind: 'decision' }>): Promise<string> {
    const { channelGate, permissions } = this.#deps.services
    const card = await channelGate.card(ref)
    if (!card) return oldButton
    if (card.linkId !== turn.link.linkId) return 'This button belongs to another chat.'
    const { requestId, digest } = card
    try {
      await permissions.decide(turn.actor, requestId, { decision, digest }, turn.key)
      return decision === 'allow' ? 'Allowed.' : 'Denied.'
    } catch (error) {
      if (!(error instanceof CodedError) || error.code === 'STORAGE_UNAVAILABLE') throw error
      if (error.code === 'FORBIDDEN') return mayNotDecide(handledBy(turn))
      const [request] = await channelGate.requests(turn.actor, [requestId])
      const end = request ? endOf(request) : null
      return end === null ? refusalWords(error) : `Nothing was changed. ${end}`
    }
  }

  /** The link may be gone by now. Then there is nobody to tell. */
  async #write(link: ChannelLinkRow, handled: Handled, outcome: Outcome, lastMessage?: string): Promise<void> {
    const { channelGate } = this.#deps.services
    const { linkId } = link
    const change = { ...outcome.link, ...(lastMessage === undefined ? {} : { lastMessage }) }
    if (!(await channelGate.write({ ...outcome, linkId, link: change, handled }))) await this.#skip(handled)
    this.#deps.wake(linkId)
  }

  /** At most once, and only while the service takes it: nobody waits for it. */
  #tell(chatId: string, text: string): void {
    const { channel, signal } = this.#deps
    channel.send(chatId, { text }, channel.newMark(null), signal).catch(() => {})
  }
}

const oldButton = 'This button is too old. Open the page.'
const handledBy = ({ link }: ChatTurn) => channelNames[link.kind]
const mayNotDecide = (name: string) =>
  `This chat may not decide that. Approvals in ${name} are turned on on your account page.`
