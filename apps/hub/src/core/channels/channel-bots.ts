/**
 * The bot of a channel, which owners and admins set (CHAN-1). Its token is sealed, and no answer, log line or audit row has it.
 * Another bot has other chats, so the links of the one before end with it.
 */
import { type ChannelKind, type ChannelView, CodedError, channelNames } from '@roundhouse/backend-types'
import { type Actor, requireCan } from '../access/access'
import { requireStill } from '../access/standing'
import { entryOf } from '../audit/audit'
import { PersonPace } from '../common/person-pace'
import type { Doorbells } from '../doorbells/doorbells'
import type { BotChecker } from '../ports/channels/bot-checker'
import type { SecretKeeper } from '../ports/outbound/secret-keeper'
import type { Reads } from '../ports/stores'
import { type OnceDeps, once } from '../writes/once'
import type { PersonTx } from '../writes/write-as'
import { botAddress } from './bot-address'
import type { ChannelStates } from './channel-states'

export interface ChannelBotsDeps extends OnceDeps {
  bots: BotChecker
  channelStates: ChannelStates
  doorbells: Doorbells
  /** Milliseconds of a monotonic clock. */
  elapsed: () => number
  reads: Pick<Reads, 'channels' | 'people'>
  secretKeeper: SecretKeeper
}

export interface ChannelBotsApi {
  view(actor: Actor, kind: ChannelKind): Promise<ChannelView>
  /** Throws `CHANNEL_TOKEN_WRONG` or `CHANNEL_UNREACHABLE`, and changes nothing then. */
  set(actor: Actor, kind: ChannelKind, token: string, idempotencyKey: string): Promise<ChannelView>
  /** Ends all links. Throws `CHANNEL_OFF` if there is no bot. */
  remove(actor: Actor, kind: ChannelKind, idempotencyKey: string): Promise<ChannelView>
}

/** Each try asks the chat service. */
const tries = { burst: 10, perSecond: 0.2 }

export function createChannelBots(deps: ChannelBotsDeps): ChannelBotsApi {
  const { reads, channelStates, doorbells, secretKeeper, now } = deps
  const pace = new PersonPace(tries, deps.elapsed)
  const view = async (kind: ChannelKind): Promise<ChannelView> => {
    const bot = await reads.channels.bot(kind)
    const links = (await reads.channels.links(kind)).length
    if (!bot) return { state: 'off', since: null, bot: null, links }
    const { name, setAt } = bot
    return { ...channelStates.of(kind), bot: { name, address: botAddress(kind, name), setAt }, links }
  }
  return {
    view: (actor, kind) => {
      requireCan(actor, 'hub.manage')
      return view(kind)
    },
    set: async (actor, kind, token, key) => {
      requireCan(actor, 'hub.manage')
      pace.require(actor)
      // Nobody whose rights have ended makes the hub ask the service.
      requireStill(actor, await reads.people.standing(actor.credential), now())
      const { botId, name } = await deps.bots.check(kind, token)
      const sealed = await secretKeeper.seal(token)
      // The token is not stored with the answer, not even hashed.
      await once(deps, { actor, route: `channel.set ${kind}`, key, body: { botId } }, async (tx) => {
        const before = await tx.channels.bot(kind)
        const isSame = before?.botId === botId
        const ended = isSame ? 0 : await endLinks(tx, kind)
        const nextUpdate = isSame ? before.nextUpdate : 0
        await tx.channels.putBot({ kind, token: sealed, botId, name, setAt: now(), nextUpdate })
        const detail = { bot: name, ...(ended > 0 ? { linksEnded: ended } : {}) }
        await tx.audit.append(entryOf(actor, 'channel.set', kind, detail), now())
        return {}
      })
      doorbells.ring('channel', { kind })
      return view(kind)
    },
    remove: async (actor, kind, key) => {
      requireCan(actor, 'hub.manage')
      await once(deps, { actor, route: `channel.remove ${kind}`, key, body: {} }, async (tx) => {
        const name = channelNames[kind]
        if (!(await tx.channels.removeBot(kind))) throw new CodedError('CHANNEL_OFF', `${name} has no bot.`)
        const ended = await endLinks(tx, kind)
        const detail = ended > 0 ? { linksEnded: ended } : undefined
        await tx.audit.append(entryOf(actor, 'channel.remove', kind, detail), now())
        return {}
      })
      doorbells.ring('channel', { kind })
      return view(kind)
    },
  }
}

async function endLinks(tx: PersonTx, kind: ChannelKind): Promise<number> {
  const links = await tx.channels.linksOf(kind, {})
  for (const { userId, tokenId } of links) await tx.apiTokens.delete(userId, tokenId)
  await tx.channels.removeCodes(kind)
  return links.length
}
