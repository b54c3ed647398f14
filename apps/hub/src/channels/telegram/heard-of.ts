/** What an update of the Bot API says. Pure. */
import type { Chat, Update, User } from 'grammy/types'
import type { Heard } from '../port/channel'

/** Blanks, and what draws nothing or turns text around. */
const unseen = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]+/gu
const NAME_LENGTH = 64

/** The user name, which is unique, or else the first name. One line of characters that can be seen. */
export function nameOf({ username, first_name: first, id }: User): string {
  if (username !== undefined) return `@${username}`
  return first.replace(unseen, ' ').trim().slice(0, NAME_LENGTH) || `account ${id}`
}

/** A person alone with the bot. */
const isPrivate = (chat: Pick<Chat, 'type'>) => chat.type === 'private'

export function heardOf({ message, callback_query: press, my_chat_member: member }: Update): Heard {
  if (press) {
    const { id: pressId, from, message: shown, data } = press
    if (data === undefined || !shown || !isPrivate(shown.chat)) return { kind: 'nothing' }
    return { kind: 'press', chatId: String(from.id), pressId, data }
  }
  if (member) return isPrivate(member.chat) ? { kind: 'nothing' } : joined(member.chat, member.new_chat_member.status)
  if (!message) return { kind: 'nothing' }
  const { chat, from, text } = message
  const chatId = String(chat.id)
  if (!isPrivate(chat)) return { kind: 'group', chatId }
  // In a private chat both are the account of the person.
  if (!from || from.is_bot || String(from.id) !== chatId) return { kind: 'nothing' }
  const of = { chatId, chatName: nameOf(from), messageId: String(message.message_id) }
  return text === undefined ? { kind: 'not_text', ...of } : { kind: 'text', ...of, text }
}

/** The bot was added, or made something else, in a group or a channel. */
function joined(chat: Pick<Chat, 'id'>, status: string): Heard {
  if (status === 'left' || status === 'kicked') return { kind: 'nothing' }
  return { kind: 'group', chatId: String(chat.id) }
}
