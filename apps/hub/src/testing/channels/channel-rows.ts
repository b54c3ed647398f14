/** Rows of chat channels for tests, with defaults. */
import type { ChannelCardRow, ChannelLinkRow } from '../../core/ports/channels/channel-rows'

export const linkRow = (linkId: string, change: Partial<ChannelLinkRow> = {}): ChannelLinkRow => ({
  linkId,
  kind: 'telegram',
  chatId: `chat of ${linkId}`,
  chatName: '@fay',
  userId: `user of ${linkId}`,
  tokenId: `token of ${linkId}`,
  linkedAt: 1,
  sessionId: null,
  startLike: null,
  seq: 0,
  part: 0,
  blockId: null,
  openMessage: null,
  sending: null,
  lastMessage: null,
  ...change,
})

export const cardRow = (ref: string, linkId: string, change: Partial<ChannelCardRow> = {}): ChannelCardRow => ({
  ref,
  linkId,
  sessionId: 's_1',
  requestId: `request of ${ref}`,
  digest: 'd',
  createdAt: 1,
  messageId: null,
  closedAt: null,
  ...change,
})
