/** Telegram for `channel.suite.ts`: the channel of the product, on a stand-in of the Bot API. */
import { type Account, BotApi } from '@roundhouse/bot-api-testkit'
import { openTelegram } from '../../channels/telegram/telegram-channel'
import type { ChatService } from './chat-world'

export async function telegramService(): Promise<ChatService> {
  const api = await BotApi.start()
  const accounts = new Map<string, Account>()
  const accountOf = (chat: string): Account => {
    const known = accounts.get(chat) ?? { id: 1_000 + accounts.size, first_name: chat, username: chat }
    accounts.set(chat, known)
    return known
  }
  const told = async (pressId: string) => {
    await api.until('the press to be answered', () => api.answerTo(pressId) !== undefined)
    return api.answerTo(pressId) ?? ''
  }
  let limited = 0
  return {
    token: api.token,
    longest: 4_096,
    open: (token, known) => openTelegram({ token, apiRoot: api.url, known }),
    writes: (chat, text) => api.writes(accountOf(chat), text),
    presses: (chat, label) => told(api.pressesButton(accountOf(chat), label)),
    pressesOf: (chat, owner, label) => {
      const message = api.shown(accountOf(owner)).findLast(({ buttons }) => buttons.some(({ text }) => text === label))
      const data = message?.buttons.find(({ text }) => text === label)?.data ?? ''
      if (!message) throw new Error(`${owner} has no button ${label}`)
      return told(api.presses(accountOf(chat), message, data))
    },
    writesInGroup: (chat, text) => api.writesInGroup(accountOf(chat), -100, text),
    seen: (chat) =>
      api
        .shown(accountOf(chat))
        .map(({ text, buttons, edits }) => ({ text, buttons: buttons.map((one) => one.text), edits })),
    groupsLeft: () => api.chats.left.length,
    goDown: () => api.goDown(),
    comeBack: () => api.comeBack(),
    loseAnswer: () => api.loseAnswer('sendMessage'),
    limit: (messages) => {
      limited += messages
      api.limit(messages, 7)
    },
    limited: () => limited - api.toBeLimited,
    until: (what, test) => api.until(what, test),
    stop: () => api.stop(),
  }
}
