import type { ChannelKind } from '@roundhouse/backend-types'
import type {
  ChannelBotRow,
  ChannelCardRow,
  ChannelCodeRow,
  ChannelLinkRow,
  ChatMessage,
  LinkChange,
  PlaceInLog,
} from './channel-rows'

/** In a transaction. A link is removed with its API token. */
export interface ChannelWrites {
  bot(kind: ChannelKind): Promise<ChannelBotRow | null>
  putBot(row: ChannelBotRow): Promise<void>
  removeBot(kind: ChannelKind): Promise<boolean>
  /** False: another bot is set, or the updates were handled already. */
  moveUpdates(of: Pick<ChannelBotRow, 'kind' | 'botId'>, next: number): Promise<boolean>
  /** Replaces the person's code of before. */
  putCode(row: ChannelCodeRow): Promise<void>
  /** Takes the code, once, and returns whose it is. Null: there is none that is still good. */
  takeCode(kind: ChannelKind, codeHash: string, now: number): Promise<string | null>
  /** Returns how many there were. */
  removeCodes(kind: ChannelKind): Promise<number>
  /** The links of this chat or of this person; all links if neither is given. */
  linksOf(kind: ChannelKind, of: Partial<Pick<ChannelLinkRow, 'chatId' | 'userId'>>): Promise<ChannelLinkRow[]>
  insertLink(row: ChannelLinkRow): Promise<void>
  /** False: the link is gone, or is not at `from` any more. */
  changeLink(linkId: string, change: LinkChange, from?: PlaceInLog): Promise<boolean>
  addReply(linkId: string, body: ChatMessage): Promise<void>
  removeReply(n: number): Promise<void>
  /** A request that the chat has already stays as it is. */
  addCard(row: ChannelCardRow): Promise<void>
  changeCard(ref: string, change: Partial<Pick<ChannelCardRow, 'messageId' | 'closedAt'>>): Promise<void>
  /** Those that were closed before. */
  forgetCards(closedBefore: number): Promise<void>
}
