/** Rows of chat channels between their columns and what the core knows. */
import type {
  ChannelBotRow,
  ChannelCardRow,
  ChannelLinkRow,
  ChannelReplyRow,
  ChatMessage,
  Sending,
} from '../../../core/ports/channels/channel-rows'
import { readObject } from './json-objects'
import { readable } from './row-by-row'

export interface RawLink extends Omit<ChannelLinkRow, 'sending'> {
  sending: string | null
}

export const linkColumns =
  'linkId, kind, chatId, chatName, userId, tokenId, linkedAt, sessionId, startLike, seq, part, blockId, openMessage, sending, lastMessage'
export const botColumns = 'kind, token, botId, name, setAt, nextUpdate'
export const cardColumns = 'ref, linkId, sessionId, requestId, digest, createdAt, messageId, closedAt'

export const toLink = ({ sending, ...row }: RawLink): ChannelLinkRow => ({ ...row, sending: readSending(sending) })

/** A damaged one is none: at worst, one message is sent twice. */
export const readSending = (text: string | null): Sending | null =>
  text === null ? null : (readable(() => readObject<Sending>(text)) ?? null)
export const writeSending = (sending: Sending | null): string | null => sending && JSON.stringify(sending)

export const toReply = ({ n, body }: { n: number; body: string }): ChannelReplyRow => ({
  n,
  body: readObject<ChatMessage>(body),
})

export type RawBot = ChannelBotRow
export type RawCard = ChannelCardRow
