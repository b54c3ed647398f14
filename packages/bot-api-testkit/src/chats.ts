/** What a bot and its people said, as the service stores it. */

export interface Account {
  id: number
  username?: string
  first_name: string
}

export interface ShownMessage {
  id: number
  chatId: number
  text: string
  buttons: { text: string; data: string }[]
  edits: number
  /** Milliseconds since the epoch. */
  at: number
}

export interface ApiUpdate {
  update_id: number
  [what: string]: unknown
}

/** A refusal of the Bot API. */
export class Refusal extends Error {
  constructor(
    readonly code: number,
    description: string,
    readonly parameters?: { retry_after: number },
  ) {
    super(description)
  }
}

type Keyboard = { inline_keyboard?: { text: string; callback_data?: string }[][] } | undefined

const LONGEST = 4_096
const bad = (why: string) => new Refusal(400, `Bad Request: ${why}`)

export class Chats {
  /** One number for each message of the bot, whoever wrote it and wherever. */
  #last = 100
  #lastUpdate = 5_000
  updates: ApiUpdate[] = []
  readonly messages: ShownMessage[] = []
  readonly removed: number[] = []
  readonly left: number[] = []
  readonly answers: { pressId: string; text: string }[] = []
  /** People who closed the chat. */
  readonly closed = new Set<number>()

  nextId(): number {
    this.#last += 1
    return this.#last
  }

  add(update: Record<string, unknown>): void {
    this.#lastUpdate += 1
    this.updates.push({ update_id: this.#lastUpdate, ...update })
  }

  /** What was not confirmed by an offset. */
  after(offset: number): ApiUpdate[] {
    this.updates = this.updates.filter(({ update_id: id }) => id >= offset)
    return this.updates.slice(0, 100)
  }

  send({ chat_id, text, reply_markup }: Record<string, unknown>): object {
    const chatId = Number(chat_id)
    if (this.closed.has(chatId)) throw new Refusal(403, 'Forbidden: bot was blocked by the user')
    const message = { chatId, text: checked(text), buttons: buttonsOf(reply_markup as Keyboard), edits: 0 }
    const id = this.nextId()
    this.messages.push({ id, ...message, at: Date.now() })
    return { message_id: id, date: 1, chat: { id: chatId, type: 'private' }, text: message.text }
  }

  edit({ chat_id, message_id, text, reply_markup }: Record<string, unknown>): object {
    const message = this.#find(chat_id, message_id, 'edit')
    const [said, buttons] = [checked(text), buttonsOf(reply_markup as Keyboard)]
    if (message.text === said && JSON.stringify(message.buttons) === JSON.stringify(buttons))
      throw bad('message is not modified: specified new message content and reply markup are exactly the same')
    Object.assign(message, { text: said, buttons, edits: message.edits + 1 })
    return { message_id: message.id, date: 1, chat: { id: message.chatId, type: 'private' }, text: said }
  }

  remove({ chat_id, message_id }: Record<string, unknown>): true {
    const message = this.#find(chat_id, message_id, 'delete')
    this.messages.splice(this.messages.indexOf(message), 1)
    this.removed.push(message.id)
    return true
  }

  answer({ callback_query_id, text }: Record<string, unknown>): true {
    this.answers.push({ pressId: String(callback_query_id), text: String(text ?? '') })
    return true
  }

  leave({ chat_id }: Record<string, unknown>): true {
    this.left.push(Number(chat_id))
    return true
  }

  #find(chatId: unknown, id: unknown, what: 'edit' | 'delete'): ShownMessage {
    const message = this.messages.find((one) => one.id === Number(id) && one.chatId === Number(chatId))
    if (!message) throw bad(`message to ${what} not found`)
    return message
  }
}

/** Blanks at both ends are cut, as the service does. */
function checked(text: unknown): string {
  const said = String(text ?? '').trim()
  if (said === '') throw bad('message text is empty')
  if (said.length > LONGEST) throw bad('message is too long')
  return said
}

const buttonsOf = (keyboard: Keyboard): ShownMessage['buttons'] =>
  (keyboard?.inline_keyboard ?? []).flat().map(({ text, callback_data: data = '' }) => {
    if (Buffer.byteLength(data) < 1 || Buffer.byteLength(data) > 64) throw bad('BUTTON_DATA_INVALID')
    return { text, data }
  })
