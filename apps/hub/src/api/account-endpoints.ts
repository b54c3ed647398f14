import * as T from '@roundhouse/backend-types'
import { z } from 'zod'
import type { Core } from '../core'
import { deviceOf, type Endpoint, endpoint } from './endpoint'
import { provenBy } from './proven-by'
import type { WrongLogins } from './wrong-logins'

const Ok = z.object({ ok: z.literal(true) })

interface AccountDeps {
  core: Pick<Core, 'account'>
  oidc?: { label: string } | undefined
}

/** What people do about themselves. No token reaches these. */
export function accountEndpoints({ core: { account }, oidc }: AccountDeps, codes: WrongLogins): Endpoint[] {
  const mine = { tag: 'account', personally: true } as const
  return [
    endpoint(
      { ...mine, method: 'get', path: '/me/logins', summary: 'Where I am signed in', answer: T.LoginsList },
      async ({ actor, login }) => {
        const { items } = await account.logins(actor, login.loginId)
        return { items: items.map((item) => ({ ...item, device: deviceOf(item.device) })) }
      },
    ),
    endpoint(
      {
        ...mine,
        method: 'delete',
        path: '/me/logins/:loginId',
        summary: 'End one of my logins',
        answer: Ok,
        errors: ['NOT_FOUND'],
      },
      ({ actor, id, key }) => account.endLogin(actor, id.loginId ?? '', key),
    ),
    endpoint(
      {
        ...mine,
        method: 'get',
        path: '/me/identity',
        summary: 'My link to the identity provider',
        answer: T.IdentityView,
      },
      ({ actor }) => ({ provider: oidc?.label ?? null, linkedAt: account.linkedAt(actor) }),
    ),
    endpoint(
      {
        ...mine,
        method: 'post',
        path: '/me/identity/unlink',
        summary: 'Take my link to the identity provider apart',
        body: T.OwnProof,
        answer: Ok,
        errors: ['NOT_FOUND', 'AUTH_FAILED', 'RATE_LIMITED'],
      },
      ({ actor, login, body, key }) =>
        provenBy(codes, { actor, loginId: login.loginId }, () =>
          account.unlinkIdentity({ actor, loginId: login.loginId }, body, key),
        ),
    ),
    endpoint(
      { ...mine, method: 'get', path: '/me/tokens', summary: 'Tokens of my programs', answer: T.ApiTokensList },
      ({ actor }) => account.tokens(actor),
    ),
    endpoint(
      {
        ...mine,
        method: 'post',
        path: '/me/tokens',
        summary: 'Create an API token',
        body: T.ApiTokenRequest,
        answer: T.ApiTokenMade,
        status: 201,
        errors: ['AUTH_FAILED', 'NAME_NOT_ALLOWED', 'RATE_LIMITED', 'SHOWN_ONCE'],
      },
      ({ actor, login, body, key }) =>
        provenBy(codes, { actor, loginId: login.loginId }, () =>
          account.makeToken({ actor, loginId: login.loginId }, body, key),
        ),
    ),
    endpoint(
      {
        ...mine,
        method: 'delete',
        path: '/me/tokens/:tokenId',
        summary: 'Take a token back',
        answer: Ok,
        errors: ['NOT_FOUND'],
      },
      ({ actor, id, key }) => account.removeToken(actor, id.tokenId ?? '', key),
    ),
  ]
}
