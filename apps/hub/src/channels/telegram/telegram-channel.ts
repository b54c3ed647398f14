/**
 * Telegram by its Bot API, with long polling, so that the hub needs no address of its own. With `identity` of the provider this
 * is one of the few places of the hub that contact another server (A37): only the address that the operator configured.
 *
 * The numbers of messages to and from a bot grow by one for each, in all of its chats together. So a message whose answer got lost
 * has one of the next numbers, and an edit of it succeeds, or says that the message has this text already.
 */
import type { Api } from 'grammy'
import type { InlineKeyboardMarkup } from 'grammy/types'
import type { ChatMessage } from '../../core'
import { type Channel, ChannelError, type ChannelUpdate } from '../port/channel'
import { heardOf } from './heard-of'
import { isUnchanged, toChannelError } from './telegram-fault'

export interface TelegramOptions {
  token: string
  /** Root of the Bot API, without a slash at the end. */
  apiRoot: string
  /** The newest messages that are known, of any chat. */
  known?: readonly string[]
}

/** Telegram takes 4096. The rest is room for characters that Telegram counts twice. */
const MESSAGE_LENGTH = 4_000
const POLL_S = 50
/** A poll may take this much longer than it asked for. */
const POLL_ANSWER_MS = 65_000
const CALL_MS = 20_000
/** How many of the next message numbers are searched for a message that may have been sent. */
const LOOKED_AT = 16
/** The kinds of updates that the hub handles. Telegram sends no others. */
const wanted = ['message', 'callback_query', 'my_chat_member'] as const

export async function openTelegram(options: TelegramOptions): Promise<Channel> {
  return new TelegramChannel(await telegramApi(options), Math.max(0, ...(options.known ?? []).map(Number)))
}

/** The library has a type of its own for the same thing. */
type Signal = NonNullable<Parameters<Api['getMe']>[0]>

/** Whose token it is. Throws `ChannelError`. */
export async function askTelegram(options: TelegramOptions): Promise<{ botId: string; name: string }> {
  const api = await telegramApi(options)
  const me = await called(() => api.getMe(AbortSignal.timeout(CALL_MS) as Signal))
  return { botId: String(me.id), name: me.username }
}

/** The library is loaded when a bot is used. Its build for the web uses the `fetch` of Node and has no code of its own for sockets. */
async function telegramApi({ token, apiRoot }: TelegramOptions): Promise<Api> {
  const { Api } = await import('grammy/web')
  return new Api(token, { apiRoot, baseFetchConfig: { redirect: 'error' } })
}

async function called<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    throw toChannelError(error)
  }
}

class TelegramChannel implements Channel {
  readonly kind = 'telegram'
  readonly messageLength = MESSAGE_LENGTH
  readonly #api: Api
  #newest: number

  constructor(api: Api, newest: number) {
    this.#api = api
    this.#newest = newest
  }

  async updates(from: number, { waits }: { waits: boolean }, signal: AbortSignal): Promise<ChannelUpdate[]> {
    const options = { offset: from, timeout: waits ? POLL_S : 0, allowed_updates: wanted }
    const updates = await this.#call(signal, POLL_ANSWER_MS, (until) => this.#api.getUpdates(options, until))
    return updates.map((update) => {
      this.#seen(update.message?.message_id)
      return { id: update.update_id, heard: heardOf(update) }
    })
  }

  newMark(known: string | null): string {
    return String(Math.max(this.#newest, Number(known ?? 0)))
  }

  async send(chatId: string, message: ChatMessage, _mark: string, signal: AbortSignal): Promise<string> {
    const sent = await this.#call(signal, CALL_MS, (until) =>
      this.#api.sendMessage(chatId, message.text, { ...plain, ...keyboardOf(message) }, until),
    )
    this.#seen(sent.message_id)
    return String(sent.message_id)
  }

  async findSent(chatId: string, message: ChatMessage, mark: string, signal: AbortSignal): Promise<string | null> {
    for (let id = Number(mark) + 1; id <= Number(mark) + LOOKED_AT; id += 1) {
      if (!(await this.#isOwn(chatId, id, message, signal))) continue
      this.#seen(id)
      return String(id)
    }
    return null
  }

  async #isOwn(chatId: string, id: number, message: ChatMessage, signal: AbortSignal): Promise<boolean> {
    try {
      await this.edit(chatId, String(id), message, signal)
      return true
    } catch (error) {
      if (error instanceof ChannelError && (error.fault === 'gone' || error.fault === 'refused')) return false
      throw error
    }
  }

  async edit(chatId: string, messageId: string, message: ChatMessage, signal: AbortSignal): Promise<void> {
    const more = { ...plain, ...keyboardOf(message) }
    await this.#call(signal, CALL_MS, (until) =>
      this.#api.editMessageText(chatId, Number(messageId), message.text, more, until).catch((error) => {
        if (!isUnchanged(error)) throw error
      }),
    )
  }

  async remove(chatId: string, messageId: string, signal: AbortSignal): Promise<void> {
    await this.#call(signal, CALL_MS, (until) => this.#api.deleteMessage(chatId, Number(messageId), until))
  }

  async answerPress(pressId: string, text: string, signal: AbortSignal): Promise<void> {
    await this.#call(signal, CALL_MS, (until) =>
      this.#api.answerCallbackQuery(pressId, { text: text.slice(0, 200), show_alert: text.length > 60 }, until),
    )
  }

  async leave(chatId: string, text: string, signal: AbortSignal): Promise<void> {
    await this.#call(signal, CALL_MS, (until) => this.#api.sendMessage(chatId, text, plain, until)).catch(() => {})
    await this.#call(signal, CALL_MS, (until) => this.#api.leaveChat(chatId, until))
  }

  #seen(id: number | undefined): void {
    if (id !== undefined) this.#newest = Math.max(this.#newest, id)
  }

  #call<T>(signal: AbortSignal, ms: number, call: (until: Signal) => Promise<T>): Promise<T> {
    return called(() => call(AbortSignal.any([signal, AbortSignal.timeout(ms)]) as Signal))
  }
}

/** No `parse_mode`: a text is a text. Telegram fetches no address in it, which would tell that address what the text says. */
const plain = { link_preview_options: { is_disabled: true } } as const

/** An edit without a keyboard takes the buttons away. */
function keyboardOf({ buttons }: ChatMessage): { reply_markup?: InlineKeyboardMarkup } {
  if (!buttons) return {}
  const rows = buttons.map((row) => row.map(({ label, data }) => ({ text: label, callback_data: data })))
  return { reply_markup: { inline_keyboard: rows } }
}
