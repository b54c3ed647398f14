/** The store of chat channels: the bot of each, the chats that are linked, and what is on its way into them. */
import type { ChannelKind } from '@roundhouse/backend-types'
import type { ChannelBotRow, ChannelCardRow, ChannelLinkRow, ChannelReplyRow, StartedSession } from './channel-rows'

export interface ChannelStore {
  bot(kind: ChannelKind): Promise<ChannelBotRow | undefined>
  /** The oldest first. */
  links(kind: ChannelKind): Promise<ChannelLinkRow[]>
  link(linkId: string): Promise<ChannelLinkRow | undefined>
  linkOfChat(kind: ChannelKind, chatId: string): Promise<ChannelLinkRow | undefined>
  linkOfPerson(kind: ChannelKind, userId: string): Promise<ChannelLinkRow | undefined>
  /** The oldest one that is not in the chat yet. */
  nextReply(linkId: string): Promise<ChannelReplyRow | undefined>
  /** Those whose end the chat was not told, the oldest first. */
  openCards(linkId: string): Promise<ChannelCardRow[]>
  card(ref: string): Promise<ChannelCardRow | undefined>
  /** The newest session that a person started of each machine, program and folder; the newest of them first. */
  startedBy(userId: string, limit: number): Promise<StartedSession[]>
}
