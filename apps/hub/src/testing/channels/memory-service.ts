/**
 * A second chat service for `channel.suite.ts`, in memory. It works otherwise than Telegram: the sender gives each message a name,
 * so a message is found by it, and its messages are short.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { type Channel, ChannelError, type ChannelUpdate, type Heard } from '../../channels/port/channel'
import type { ChatMessage } from '../../core'
import { Waiter } from '../waiter'
import type { ChatService, Seen } from './chat-world'

interface Stored {
  id: string
  chat: string
  mark: string
  message: ChatMessage
  edits: number
}

export async function memoryService(): Promise<ChatService> {
  return new MemoryService()
}

class MemoryService implements ChatService {
  readonly token = 'memory'
  readonly longest = 500
  readonly updates: ChannelUpdate[] = []
  readonly messages: Stored[] = []
  readonly answers = new Map<string, string>()
  readonly waiter = new Waiter()
  isDown = false
  isLost = false
  toLimit = 0
  left = 0
  #made = 0
  #limited = 0

  open = async (): Promise<Channel> => new MemoryChannel(this)

  #arrives(heard: Heard): void {
    this.#made += 1
    this.updates.push({ id: this.#made, heard })
    this.waiter.look()
  }

  writes(chat: string, text: string): void {
    this.#arrives({ kind: 'text', chatId: chat, chatName: chat, messageId: `in-${this.#made}`, text })
  }

  writesInGroup(_chat: string, _text: string): void {
    this.#arrives({ kind: 'group', chatId: 'group' })
  }

  presses(chat: string, label: string): Promise<string> {
    return this.pressesOf(chat, chat, label)
  }

  async pressesOf(chat: string, owner: string, label: string): Promise<string> {
    const buttons = this.messages
      .filter((one) => one.chat === owner)
      .flatMap(({ message }) => message.buttons?.flat() ?? [])
    const data = buttons.findLast((button) => button.label === label)?.data
    if (data === undefined) throw new Error(`no button ${label}`)
    const pressId = randomUUID()
    this.#arrives({ kind: 'press', chatId: chat, pressId, data })
    await this.waiter.until(() => this.answers.has(pressId))
    return this.answers.get(pressId) ?? ''
  }

  seen(chat: string): Seen[] {
    const own = this.messages.filter((one) => one.chat === chat)
    return own.map(({ message: { text, buttons = [] }, edits }) => ({
      text,
      buttons: buttons.flat().map(({ label }) => label),
      edits,
    }))
  }

  groupsLeft = () => this.left

  async goDown(): Promise<void> {
    this.isDown = true
    this.waiter.look()
  }

  async comeBack(): Promise<void> {
    this.isDown = false
  }

  loseAnswer(): void {
    this.isLost = true
  }

  limit(messages: number): void {
    this.toLimit = messages
    this.#limited += messages
  }

  limited = () => this.#limited - this.toLimit

  until(_what: string, test: () => boolean): Promise<void> {
    return this.waiter.until(test)
  }

  async stop(): Promise<void> {}

  /** What every call meets. */
  meet(): void {
    if (this.isDown) throw new ChannelError('unreachable', 'down')
  }
}

class MemoryChannel implements Channel {
  readonly kind = 'telegram'
  readonly messageLength = 500

  constructor(private readonly service: MemoryService) {}

  async updates(from: number, { waits }: { waits: boolean }, signal: AbortSignal): Promise<ChannelUpdate[]> {
    const { service } = this
    service.meet()
    const news = () => service.updates.filter(({ id }) => id >= from)
    if (waits && news().length === 0) {
      const ended = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
      await Promise.race([service.waiter.until(() => news().length > 0 || service.isDown), ended])
    }
    service.meet()
    return signal.aborted ? [] : news()
  }

  newMark = () => randomUUID()

  async send(chat: string, message: ChatMessage, mark: string): Promise<string> {
    const { service } = this
    service.meet()
    if (service.toLimit > 0) {
      service.toLimit -= 1
      service.waiter.look()
      throw new ChannelError('later', 'too fast', 7_000)
    }
    if (message.text.length > this.messageLength) throw new ChannelError('refused', 'too long')
    const id = randomUUID()
    service.messages.push({ id, chat, mark, message, edits: 0 })
    service.waiter.look()
    if (!service.isLost) return id
    service.isLost = false
    throw new ChannelError('unsure', 'the answer got lost')
  }

  async findSent(chat: string, message: ChatMessage, mark: string): Promise<string | null> {
    this.service.meet()
    const found = this.service.messages.find((one) => one.chat === chat && one.mark === mark)
    if (!found) return null
    await this.edit(chat, found.id, message)
    return found.id
  }

  async edit(_chat: string, id: string, message: ChatMessage): Promise<void> {
    const { service } = this
    service.meet()
    await delay(0)
    const found = service.messages.find((one) => one.id === id)
    if (!found) throw new ChannelError('gone', 'no such message')
    if (JSON.stringify(found.message) !== JSON.stringify(message))
      Object.assign(found, { message, edits: found.edits + 1 })
    service.waiter.look()
  }

  async remove(_chat: string, id: string): Promise<void> {
    const { service } = this
    service.meet()
    service.messages.splice(0, service.messages.length, ...service.messages.filter((one) => one.id !== id))
    service.waiter.look()
  }

  async answerPress(pressId: string, text: string): Promise<void> {
    this.service.answers.set(pressId, text)
    this.service.waiter.look()
  }

  async leave(): Promise<void> {
    this.service.left += 1
    this.service.waiter.look()
  }
}
