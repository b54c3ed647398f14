/**
 * What the rooms of channels need of the core: the bot with its token, the chats that are linked, with the rights of this moment,
 * and one way to write. What an update caused and the number of the next update are one transaction (CHAN-4).
 */
import { type ChannelKind, type ChannelState, channelNames, type RequestView } from '@roundhouse/backend-types'
import { failpoint } from '@roundhouse/failpoint'
import { type Actor, can } from '../access/access'
import { entryOf } from '../audit/audit'
import { newId } from '../common/random'
import { makeToken } from '../common/secret-token'
import type { Doorbells } from '../doorbells/doorbells'
import { tokenActor } from '../people/token-actor'
import type {
  ChannelBotRow,
  ChannelCardRow,
  ChannelLinkRow,
  ChatMessage,
  LinkChange,
  PlaceInLog,
} from '../ports/channels/channel-rows'
import type { ChannelStore } from '../ports/channels/channel-store'
import type { SecretKeeper } from '../ports/outbound/secret-keeper'
import type { Reads, Transactions, WriteTx } from '../ports/stores'
import { composeRequest } from '../views/view'
import type { WriteAs } from '../writes/write-as'
import { unlinkIn } from './channel-links'
import type { ChannelStates } from './channel-states'
import { linkCodeHash } from './link-code'
import { linkScopes } from './link-scopes'

export interface ChannelGateDeps {
  channelStates: ChannelStates
  doorbells: Doorbells
  now: () => number
  reads: Pick<Reads, 'apiTokens' | 'channels' | 'requests'>
  secretKeeper: SecretKeeper
  transactions: Transactions
  writeAs: WriteAs
}

/** An update that was handled, by the number of the one after it. */
export type Handled = Pick<ChannelBotRow, 'kind' | 'botId'> & { next: number }

export interface ChannelStep {
  linkId?: string
  link?: LinkChange
  /** The next place in the log, unless the chat is elsewhere by now. */
  place?: { from: PlaceInLog; change: LinkChange }
  replies?: readonly ChatMessage[]
  /** A reply that is in the chat. */
  saidReply?: number
  newCards?: readonly ChannelCardRow[]
  card?: Pick<ChannelCardRow, 'ref'> & Partial<Pick<ChannelCardRow, 'messageId' | 'closedAt'>>
  handled?: Handled
}

export interface NewChat {
  chatId: string
  chatName: string
  lastMessage: string
  code: string
  /** The first message, to the person of this name. */
  welcome: (name: string) => ChatMessage
}

export interface ChannelGate extends Omit<ChannelStore, 'bot' | 'linkOfPerson'> {
  /** With the token. Null: there is none. */
  openBot(kind: ChannelKind): Promise<ChannelBotRow | null>
  tell(kind: ChannelKind, state: ChannelState): void
  /** Null: its rights have ended. */
  actorOf(link: ChannelLinkRow): Promise<Actor | null>
  /** In no order, without those that this person may not read. */
  requests(actor: Actor, requestIds: readonly string[]): Promise<RequestView[]>
  /** Links a chat to the person of the code. False: the code is wrong, used or too old. */
  claim(chat: NewChat, handled: Handled): Promise<boolean>
  unlink(actor: Actor, handled: Handled): Promise<void>
  /** False: the link is gone, or another bot is set, and nothing was written. */
  write(step: ChannelStep): Promise<boolean>
  /** The same, after the chat service took a message. */
  sent(step: ChannelStep): Promise<boolean>
}

/** A link lasts a year. */
const LINK_MS = 365 * 24 * 3_600_000
/** For how long a button of a request that is closed gets its answer. */
const CLOSED_CARDS_MS = 30 * 24 * 3_600_000

class Gone extends Error {}

export function createChannelGate(deps: ChannelGateDeps): ChannelGate {
  const { reads, now, transactions } = deps
  const write = async (step: ChannelStep) => {
    try {
      await transactions.write((tx) => apply(tx, step, now()))
      return true
    } catch (error) {
      if (error instanceof Gone) return false
      throw error
    }
  }
  return {
    ...reads.channels,
    links: async (kind) => {
      failpoint('hub.channel.links')
      return reads.channels.links(kind)
    },
    openBot: async (kind) => {
      failpoint('hub.channel.open')
      const bot = await reads.channels.bot(kind)
      if (!bot) return null
      const token = await deps.secretKeeper.open(bot.token).catch((error) => {
        // A token that another key sealed is as good as a wrong one.
        deps.channelStates.tell(kind, 'token_refused')
        throw error
      })
      return { ...bot, token }
    },
    tell: (kind, state) => deps.channelStates.tell(kind, state),
    actorOf: async ({ tokenId, userId }) => {
      const token = await reads.apiTokens.find(tokenId)
      if (!token || token.banned || token.expiresAt <= now() || token.userId !== userId) return null
      return tokenActor(token)
    },
    requests: async (actor, requestIds) => {
      if (requestIds.length === 0) return []
      const rows = await reads.requests.findMany(requestIds)
      return rows.filter((row) => row.ask !== null && can(actor, 'session.read', row)).map(composeRequest)
    },
    claim: async (chat, handled) => {
      const userId = await transactions.write((tx) => claim(tx, chat, handled, now()))
      if (userId === null) return false
      deps.doorbells.ring('person', { userId })
      deps.doorbells.ring('channel', { kind: handled.kind })
      return true
    },
    unlink: async (actor, handled) => {
      await deps.writeAs(actor, async (tx) => {
        await unlinkIn(tx, actor, handled.kind, now())
        await tx.channels.moveUpdates(handled, handled.next)
      })
      deps.doorbells.ring('person', { userId: actor.userId })
    },
    write,
    sent: (step) => {
      failpoint('hub.channel.sent')
      return write(step)
    },
  }
}

async function apply(tx: WriteTx, step: ChannelStep, at: number): Promise<void> {
  const { linkId, link = {}, place, replies = [], newCards = [], saidReply, card, handled } = step
  if (handled && !(await tx.channels.moveUpdates(handled, handled.next))) throw new Gone()
  if (linkId !== undefined && !(await tx.channels.changeLink(linkId, link))) throw new Gone()
  if (linkId !== undefined && place) await tx.channels.changeLink(linkId, place.change, place.from)
  if (linkId !== undefined) for (const body of replies) await tx.channels.addReply(linkId, body)
  for (const row of newCards) await tx.channels.addCard(row)
  if (newCards.length > 0) await tx.channels.forgetCards(at - CLOSED_CARDS_MS)
  if (saidReply !== undefined) await tx.channels.removeReply(saidReply)
  if (!card) return
  const { ref, ...change } = card
  await tx.channels.changeCard(ref, change)
}

/** Whoever has the code links the chat. Returns whose it was. */
async function claim(tx: WriteTx, chat: NewChat, handled: Handled, at: number): Promise<string | null> {
  const { kind, next } = handled
  await tx.channels.moveUpdates(handled, next)
  const userId = await tx.channels.takeCode(kind, linkCodeHash(chat.code), at)
  const person = userId === null ? null : await tx.people.find(userId)
  const standing = userId === null ? null : await tx.people.standing({ kind: 'person', id: userId })
  if (userId === null || !person || !standing || standing.banned) return null
  const { chatId, chatName, lastMessage } = chat
  for (const of of [{ chatId }, { userId }])
    for (const { userId: owner, tokenId } of await tx.channels.linksOf(kind, of))
      await tx.apiTokens.delete(owner, tokenId)
  const { tokenId, secretHash } = makeToken('rht')
  const token = { tokenId, secretHash, userId, name: channelNames[kind], scopes: linkScopes(false), lastUsedAt: null }
  await tx.apiTokens.insert({ ...token, createdAt: at, expiresAt: at + LINK_MS })
  const linkId = newId('lnk')
  const place = { seq: 0, part: 0, blockId: null, openMessage: null, sessionId: null, startLike: null, sending: null }
  await tx.channels.insertLink({ linkId, kind, chatId, chatName, userId, tokenId, linkedAt: at, lastMessage, ...place })
  await tx.channels.addReply(linkId, chat.welcome(person.name))
  await tx.audit.append(entryOf({ userId, name: person.name }, 'channel.link', kind, { chat: chatName }), at)
  return userId
}
