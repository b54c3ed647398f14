import { ChannelKind, CodedError } from '@roundhouse/backend-types'
import { type Actor, type PeopleServices, requireCan } from '../../core'
import { provenBy } from '../limits/proven-by'
import type { WrongLogins } from '../limits/wrong-logins'
import type { Handlers } from './handlers'

type Names =
  | 'getChannel'
  | 'setChannelBot'
  | 'removeChannelBot'
  | 'getOwnChannel'
  | 'createChannelCode'
  | 'removeOwnChannel'
  | 'allowApprovals'
  | 'endApprovals'

/** Chat channels: their bots, and a person's own link. API tokens cannot use them. */
export function channelHandlers(
  { channels: { bots, links }, rights }: Pick<PeopleServices, 'channels' | 'rights'>,
  codes: WrongLogins,
): Handlers<Names> {
  /** Whoever has no rights any more learns nothing of what there is. */
  const kindOf = async (actor: Actor, { channel }: { channel: string }): Promise<ChannelKind> => {
    const kind = ChannelKind.safeParse(channel)
    if (kind.success) return kind.data
    await rights.requireStill(actor)
    throw new CodedError('NOT_FOUND', 'There is no such channel.')
  }
  const managed = (actor: Actor, id: { channel: string }) => {
    requireCan(actor, 'hub.manage')
    return kindOf(actor, id)
  }
  return {
    getChannel: async ({ actor, id }) => bots.view(actor, await managed(actor, id)),
    setChannelBot: async ({ actor, id, body, key }) => bots.set(actor, await managed(actor, id), body.token, key),
    removeChannelBot: async ({ actor, id, key }) => bots.remove(actor, await managed(actor, id), key),
    getOwnChannel: async ({ actor, id }) => links.own(actor, await kindOf(actor, id)),
    createChannelCode: async ({ actor, login: { loginId }, id, body, key }) => {
      const kind = await kindOf(actor, id)
      return provenBy(codes, { actor, loginId }, () => links.makeCode({ actor, loginId }, kind, body, key))
    },
    removeOwnChannel: async ({ actor, id, key }) => links.unlink(actor, await kindOf(actor, id), key),
    allowApprovals: async ({ actor, login: { loginId }, id, body, key }) => {
      const kind = await kindOf(actor, id)
      return provenBy(codes, { actor, loginId }, () => links.allowApprovals({ actor, loginId }, kind, body, key))
    },
    endApprovals: async ({ actor, id, key }) => links.endApprovals(actor, await kindOf(actor, id), key),
  }
}
