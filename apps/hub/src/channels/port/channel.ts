/**
 * What a chat service must be able to do. A channel decides nothing: it fetches what people say, and shows what the other rooms
 * decide. Another channel is a folder beside `telegram`, a value of `ChannelKind`, and a line in `index.ts`; it passes
 * `channel.suite.ts`.
 */
import type { ChannelKind } from '@roundhouse/backend-types'
import type { ChatMessage } from '../../core'

/** What somebody did in a chat. */
export type Heard =
  | { kind: 'text'; chatId: string; chatName: string; messageId: string; text: string }
  /** An image, a sticker, a file. */
  | { kind: 'not_text'; chatId: string; chatName: string; messageId: string }
  /** `chatId` is that of the person who pressed, wherever the button was. */
  | { kind: 'press'; chatId: string; pressId: string; data: string }
  /** A chat of several people. */
  | { kind: 'group'; chatId: string }
  | { kind: 'nothing' }

/** Numbers grow. Whoever asks for updates after one has handled everything up to it. */
export interface ChannelUpdate {
  id: number
  heard: Heard
}

export interface Channel {
  readonly kind: ChannelKind
  /** UTF-16 units of the longest message. */
  readonly messageLength: number
  /** Updates from this number on. `waits`: for one, and returns none if it waited long enough. */
  updates(from: number, how: { waits: boolean }, signal: AbortSignal): Promise<ChannelUpdate[]>
  /** Taken before a message is sent: by it, `findSent` finds the message. `known`: the newest message of the chat that is known. */
  newMark(known: string | null): string
  /** Returns the id of the message. */
  send(chatId: string, message: ChatMessage, mark: string, signal: AbortSignal): Promise<string>
  /** Of a message that may have been sent under this mark: its id, and it then says what `message` says. Null: it was not sent. */
  findSent(chatId: string, message: ChatMessage, mark: string, signal: AbortSignal): Promise<string | null>
  /** Does nothing if the message says that already. */
  edit(chatId: string, messageId: string, message: ChatMessage, signal: AbortSignal): Promise<void>
  remove(chatId: string, messageId: string, signal: AbortSignal): Promise<void>
  /** A line that only the person who pressed sees. */
  answerPress(pressId: string, text: string, signal: AbortSignal): Promise<void>
  /** Says this in a chat of several people, and leaves it. */
  leave(chatId: string, text: string, signal: AbortSignal): Promise<void>
}

/**
 * `later`: not done, and not before `retryAfterMs`. `unreachable`: not done. `unsure`: perhaps done. `closed`: the person has closed
 * the chat. `gone`: there is no such message, or no longer a press to answer. `refused`: the service does not take it, however often.
 * `token_refused`, `taken`: as the states of a channel.
 */
export type ChannelFault =
  | 'later'
  | 'unreachable'
  | 'unsure'
  | 'closed'
  | 'gone'
  | 'refused'
  | 'token_refused'
  | 'taken'

/** Its message is for the log. It never has the token, nor a text of a chat. */
export class ChannelError extends Error {
  constructor(
    readonly fault: ChannelFault,
    message: string,
    readonly retryAfterMs = 0,
  ) {
    super(message)
    this.name = 'ChannelError'
  }
}

/** For a caller that has stopped. */
export const faultOf = (error: unknown): ChannelFault | null => (error instanceof ChannelError ? error.fault : null)
