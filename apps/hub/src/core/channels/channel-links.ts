/**
 * A person's own link to a channel (CHAN-2). A link is an API token whose secret nobody has
 * (docs/decisions/a-chat-is-a-token-that-nobody-holds.md): whatever ends tokens ends it.
 */
import {
  type ChannelCode,
  type ChannelKind,
  CodedError,
  channelNames,
  type OwnChannel,
  type OwnProof,
} from '@roundhouse/backend-types'
import { type Actor, requireCan } from '../access/access'
import type { Signed } from '../access/signed'
import { entryOf } from '../audit/audit'
import { ShownOnce } from '../common/shown-once'
import type { Doorbells } from '../doorbells/doorbells'
import { type OwnProofDeps, prove, told } from '../people/own-proof'
import { scopesOf } from '../people/token-actor'
import type { ChannelLinkRow } from '../ports/channels/channel-rows'
import type { Reads } from '../ports/stores'
import { type OnceDeps, once } from '../writes/once'
import type { PersonTx } from '../writes/write-as'
import { botAddress } from './bot-address'
import type { ChannelStates } from './channel-states'
import { CODE_MS, linkCodeHash, newLinkCode } from './link-code'
import { linkScopes } from './link-scopes'

export interface ChannelLinksDeps extends OnceDeps, OwnProofDeps {
  channelStates: ChannelStates
  doorbells: Doorbells
  reads: Pick<Reads, 'apiTokens' | 'channels' | 'factors' | 'logins' | 'people'>
}

/** Methods that take a proof throw `AUTH_FAILED` for a wrong password or code. */
export interface ChannelLinksApi {
  own(actor: Actor, kind: ChannelKind): Promise<OwnChannel>
  /** Replaces the code of before. */
  makeCode(signed: Signed, kind: ChannelKind, proof: OwnProof, idempotencyKey: string): Promise<ChannelCode>
  /** Throws `NOT_FOUND` if nothing is linked. */
  unlink(actor: Actor, kind: ChannelKind, idempotencyKey: string): Promise<OwnChannel>
  allowApprovals(signed: Signed, kind: ChannelKind, proof: OwnProof, idempotencyKey: string): Promise<OwnChannel>
  endApprovals(actor: Actor, kind: ChannelKind, idempotencyKey: string): Promise<OwnChannel>
}

export function createChannelLinks(deps: ChannelLinksDeps): ChannelLinksApi {
  const { reads, now, doorbells } = deps
  const shown = new ShownOnce(now)
  const own = (actor: Actor, kind: ChannelKind) => ownChannel(deps, actor, kind)
  const changed = (kind: ChannelKind, { userId }: Actor) => {
    doorbells.ring('person', { userId })
    doorbells.ring('channel', { kind })
  }
  return {
    own,
    makeCode: async (signed, kind, proof, key) => {
      const { actor } = signed
      requireCan(actor, 'session.read')
      const { spend } = await prove(deps, signed, proof, 'channel.code')
      const kept = await once(deps, { actor, route: `channel.code ${kind}`, key, body: {} }, async (tx) => {
        await spend(tx)
        const bot = await tx.channels.bot(kind)
        if (!bot) throw new CodedError('CHANNEL_OFF', `${channelNames[kind]} is not set up on this hub.`)
        const code = newLinkCode()
        const codeHash = linkCodeHash(code)
        const expiresAt = now() + CODE_MS
        await tx.channels.putCode({ kind, userId: actor.userId, codeHash, expiresAt })
        await tx.audit.append(entryOf(actor, 'channel.code', kind), now())
        shown.keep(codeHash, code, expiresAt)
        return { codeHash, expiresAt, name: bot.name }
      }).catch(told(deps, actor, 'channel.code'))
      const code = shown.require(kept.codeHash)
      return { code, address: botAddress(kind, kept.name, code), expiresAt: kept.expiresAt }
    },
    unlink: async (actor, kind, key) => {
      await once(deps, { actor, route: `channel.unlink ${kind}`, key, body: {} }, (tx) =>
        unlinkIn(tx, actor, kind, now()),
      )
      changed(kind, actor)
      return own(actor, kind)
    },
    allowApprovals: async (signed, kind, proof, key) => {
      const { actor } = signed
      requireCan(actor, 'permission.decide')
      const { spend } = await prove(deps, signed, proof, 'channel.approvals')
      await once(deps, { actor, route: `channel.approvals ${kind}`, key, body: {} }, async (tx) => {
        await spend(tx)
        return setApprovals(tx, actor, kind, { approvals: true, at: now() })
      }).catch(told(deps, actor, 'channel.approvals'))
      changed(kind, actor)
      return own(actor, kind)
    },
    endApprovals: async (actor, kind, key) => {
      await once(deps, { actor, route: `channel.no_approvals ${kind}`, key, body: {} }, (tx) =>
        setApprovals(tx, actor, kind, { approvals: false, at: now() }),
      )
      changed(kind, actor)
      return own(actor, kind)
    },
  }

  async function ownChannel({ channelStates }: ChannelLinksDeps, actor: Actor, kind: ChannelKind): Promise<OwnChannel> {
    const bot = await reads.channels.bot(kind)
    const { state, since } = bot ? channelStates.of(kind) : { state: 'off' as const, since: null }
    const shownBot = bot ? { name: bot.name, address: botAddress(kind, bot.name) } : null
    return { state, since, bot: shownBot, link: await linkView(actor, kind) }
  }

  async function linkView(actor: Actor, kind: ChannelKind): Promise<OwnChannel['link']> {
    const link = await reads.channels.linkOfPerson(kind, actor.userId)
    const token = link && (await reads.apiTokens.find(link.tokenId))
    if (!token) return null
    const approvals = scopesOf(token).includes('decide')
    return { name: link.chatName, linkedAt: link.linkedAt, expiresAt: token.expiresAt, approvals }
  }
}

async function linkIn(tx: PersonTx, actor: Actor, kind: ChannelKind): Promise<ChannelLinkRow> {
  const [link] = await tx.channels.linksOf(kind, { userId: actor.userId })
  if (!link) throw new CodedError('NOT_FOUND', 'No chat is linked.')
  return link
}

/** Throws `NOT_FOUND` if nothing is linked. */
export async function unlinkIn(tx: PersonTx, actor: Actor, kind: ChannelKind, at: number): Promise<object> {
  const { tokenId, userId } = await linkIn(tx, actor, kind)
  await tx.apiTokens.delete(userId, tokenId)
  await tx.audit.append(entryOf(actor, 'channel.unlink', kind), at)
  return {}
}

async function setApprovals(
  tx: PersonTx,
  actor: Actor,
  kind: ChannelKind,
  { approvals, at }: { approvals: boolean; at: number },
): Promise<object> {
  const { tokenId } = await linkIn(tx, actor, kind)
  await tx.apiTokens.setScopes(tokenId, linkScopes(approvals))
  await tx.audit.append(entryOf(actor, 'channel.approvals', kind, { approvals }), at)
  return {}
}
