/** The server, the people who use the bot, and the ways in which the service fails. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { type Account, Chats, Refusal, type ShownMessage } from './chats'
import { Waiter } from './waiter'

export type { Account, ShownMessage } from './chats'

const methods = {
  sendMessage: (chats: Chats, body: Body) => chats.send(body),
  editMessageText: (chats: Chats, body: Body) => chats.edit(body),
  deleteMessage: (chats: Chats, body: Body) => chats.remove(body),
  answerCallbackQuery: (chats: Chats, body: Body) => chats.answer(body),
  leaveChat: (chats: Chats, body: Body) => chats.leave(body),
}
type Method = keyof typeof methods
type Body = Record<string, unknown>

export class BotApi {
  readonly waiter = new Waiter()
  readonly chats = new Chats()
  /** Calls that the server took, by method. */
  readonly calls: { method: string; body: Body }[] = []
  /** Connections that were refused while it was down. */
  refused = 0
  /** Calls for updates that came while another one waited. */
  conflicts = 0
  #server: Server
  readonly #sockets = new Set<Socket>()
  #port = 0
  #isDown = false
  /** So many calls are still to be asked to wait. */
  toBeLimited = 0
  #retryAfter = 0
  /** Done, and the answer lost. */
  #lost: Method[] = []
  #held: Array<() => void> | null = null
  #endPoll: (() => void) | null = null
  #presses = 0

  private constructor(
    readonly token: string,
    readonly name: string,
  ) {
    this.#server = this.#newServer()
  }

  static async start(token = '4711:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw0', name = 'roundhouse_bot'): Promise<BotApi> {
    const api = new BotApi(token, name)
    await api.#listen()
    return api
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  get botId(): number {
    return Number(this.token.split(':')[0])
  }

  async stop(): Promise<void> {
    this.#endPoll?.()
    await this.#close()
  }

  // -- people

  writes(account: Account, text: string): void {
    const message_id = this.chats.nextId()
    const chat = { id: account.id, type: 'private', first_name: account.first_name }
    this.#arrives({ message: { message_id, date: 1, chat, from: { is_bot: false, ...account }, text } })
  }

  sendsPhoto(account: Account): void {
    const chat = { id: account.id, type: 'private', first_name: account.first_name }
    const from = { is_bot: false, ...account }
    this.#arrives({ message: { message_id: this.chats.nextId(), date: 1, chat, from, photo: [] } })
  }

  writesInGroup(account: Account, chatId: number, text: string): void {
    const chat = { id: chatId, type: 'supergroup', title: 'Team' }
    const from = { is_bot: false, ...account }
    this.#arrives({ message: { message_id: this.chats.nextId(), date: 1, chat, from, text } })
  }

  /** Returns the id of the press. */
  presses(account: Account, message: ShownMessage, data: string): string {
    this.#presses += 1
    const id = `press-${this.#presses}`
    const chat = { id: account.id, type: 'private', first_name: account.first_name }
    const shown = { message_id: message.id, date: 1, chat, text: message.text }
    const from = { is_bot: false, ...account }
    this.#arrives({ callback_query: { id, from, message: shown, chat_instance: '1', data } })
    return id
  }

  /** Presses the button with this label on the newest message that has one. */
  pressesButton(account: Account, label: string): string {
    const message = this.shown(account).findLast(({ buttons }) => buttons.some(({ text }) => text === label))
    const button = message?.buttons.find(({ text }) => text === label)
    if (!message || !button) throw new Error(`no button ${label}`)
    return this.presses(account, message, button.data)
  }

  // -- what they see

  shown({ id }: Pick<Account, 'id'>): ShownMessage[] {
    return this.chats.messages.filter(({ chatId }) => chatId === id)
  }

  texts(account: Pick<Account, 'id'>): string[] {
    return this.shown(account).map(({ text }) => text)
  }

  answerTo(pressId: string): string | undefined {
    return this.chats.answers.find((answer) => answer.pressId === pressId)?.text
  }

  until(what: string, test: () => boolean, ms?: number): Promise<void> {
    return this.waiter.until(what, test, ms)
  }

  // -- faults

  /** Nobody listens at the address. */
  async goDown(): Promise<void> {
    this.#isDown = true
    this.#endPoll?.()
    await this.#close()
  }

  /** Whoever connects loses the connection, and nobody knows what arrived. */
  cut(): void {
    this.#isDown = true
    for (const socket of this.#sockets) socket.destroy()
  }

  async comeBack(): Promise<void> {
    this.#isDown = false
    if (!this.#server.listening) {
      this.#server = this.#newServer()
      await this.#listen()
    }
  }

  /** The next so many calls that write are asked to wait. */
  limit(calls: number, retryAfterSeconds: number): void {
    this.toBeLimited = calls
    this.#retryAfter = retryAfterSeconds
  }

  /** The next call of this method is done, and its answer is lost. */
  loseAnswer(method: Method): void {
    this.#lost.push(method)
  }

  /** Answers to calls that write wait, done or not, until `release`. */
  hold(): { release: () => void } {
    this.#held = []
    return {
      release: () => {
        const held = this.#held ?? []
        this.#held = null
        for (const go of held) go()
      },
    }
  }

  // -- the server

  #newServer(): Server {
    const server = createServer((request, response) => {
      void this.#take(request, response)
    })
    server.on('connection', (socket) => {
      this.#sockets.add(socket)
      socket.on('close', () => this.#sockets.delete(socket))
      if (!this.#isDown) return
      this.refused += 1
      socket.destroy()
      this.waiter.changed()
    })
    return server
  }

  #listen(): Promise<void> {
    return new Promise((resolve) =>
      this.#server.listen(this.#port, '127.0.0.1', () => {
        this.#port = (this.#server.address() as AddressInfo).port
        resolve()
      }),
    )
  }

  #close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve())
      this.#server.closeAllConnections()
    })
  }

  #arrives(update: Record<string, unknown>): void {
    this.chats.add(update)
    this.#endPoll?.()
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, token = '', method = ''] = /^\/bot([^/]*)\/(\w+)$/.exec(request.url ?? '') ?? []
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = JSON.parse(Buffer.concat(chunks).toString() || '{}') as Body
    try {
      if (token !== this.token) throw new Refusal(401, 'Unauthorized')
      this.calls.push({ method, body })
      const result = await this.#answer(method, body, response)
      if (this.#lost.includes(method as Method)) {
        this.#lost.splice(this.#lost.indexOf(method as Method), 1)
        response.destroy()
      } else reply(response, 200, { ok: true, result })
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      const { code: error_code, message: description, parameters } = error
      reply(response, error_code, { ok: false, error_code, description, ...(parameters ? { parameters } : {}) })
    }
    this.waiter.changed()
  }

  async #answer(method: string, body: Body, response: ServerResponse): Promise<unknown> {
    if (method === 'getMe')
      return { id: this.botId, is_bot: true, first_name: 'Roundhouse', username: this.name, can_join_groups: true }
    if (method === 'getUpdates') return this.#poll(body, response)
    if (!Object.hasOwn(methods, method)) throw new Refusal(404, 'Not Found')
    if (this.toBeLimited > 0) {
      this.toBeLimited -= 1
      throw new Refusal(429, 'Too Many Requests', { retry_after: this.#retryAfter })
    }
    const done = methods[method as Method](this.chats, body)
    this.waiter.changed()
    if (this.#held) await new Promise<void>((resolve) => this.#held?.push(resolve))
    return done
  }

  async #poll(body: Body, response: ServerResponse): Promise<unknown> {
    if (this.#endPoll) {
      this.conflicts += 1
      this.#endPoll()
      throw new Refusal(409, 'Conflict: terminated by other getUpdates request')
    }
    const [offset, seconds] = [Number(body.offset ?? 0), Number(body.timeout ?? 0)]
    if (this.chats.after(offset).length === 0 && seconds > 0)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, seconds * 1_000)
        const end = () => {
          clearTimeout(timer)
          resolve()
        }
        this.#endPoll = end
        response.on('close', end)
      })
    this.#endPoll = null
    return this.chats.after(offset)
  }
}

function reply(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}
