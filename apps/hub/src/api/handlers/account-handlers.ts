import type { PeopleServices } from '../../core'
import { provenBy } from '../limits/proven-by'
import type { WrongLogins } from '../limits/wrong-logins'
import { deviceOf } from '../request/sender'
import type { Handlers } from './handlers'

interface AccountDeps {
  core: Pick<PeopleServices, 'account'>
  oidc?: { label: string } | undefined
}

/** Routes for a person's own account. API tokens cannot use them. */
export function accountHandlers(
  { core: { account }, oidc }: AccountDeps,
  codes: WrongLogins,
): Handlers<
  'listLogins' | 'endLogin' | 'getIdentity' | 'unlinkIdentity' | 'listApiTokens' | 'createApiToken' | 'deleteApiToken'
> {
  return {
    listLogins: async ({ actor, login }) => {
      const { items } = await account.logins(actor, login.loginId)
      return { items: items.map((item) => ({ ...item, device: deviceOf(item.device) })) }
    },
    endLogin: ({ actor, id, key }) => account.endLogin(actor, id.loginId, key),
    getIdentity: async ({ actor }) => ({ provider: oidc?.label ?? null, linkedAt: await account.linkedAt(actor) }),
    unlinkIdentity: ({ actor, login, body, key }) =>
      provenBy(codes, { actor, loginId: login.loginId }, () =>
        account.unlinkIdentity({ actor, loginId: login.loginId }, body, key),
      ),
    listApiTokens: ({ actor }) => account.tokens(actor),
    createApiToken: ({ actor, login, body, key }) =>
      provenBy(codes, { actor, loginId: login.loginId }, () =>
        account.makeToken({ actor, loginId: login.loginId }, body, key),
      ),
    deleteApiToken: ({ actor, id, key }) => account.removeToken(actor, id.tokenId, key),
  }
}
