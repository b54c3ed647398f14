import * as T from '@roundhouse/backend-types'
import { z } from 'zod'
import type { Core } from '../core'
import { type Endpoint, endpoint } from './endpoint'
import { provenBy } from './proven-by'
import type { WrongLogins } from './wrong-logins'

const Ok = z.object({ ok: z.literal(true) })

/** What people show beside their password. No token reaches these. */
export function factorEndpoints({ factors }: Core, codes: WrongLogins): Endpoint[] {
  const mine = { tag: 'account', personally: true } as const
  const proven = { ...mine, errors: ['AUTH_FAILED', 'RATE_LIMITED', 'REV_CHANGED'] } as const
  const shown = { ...proven, errors: [...proven.errors, 'SHOWN_ONCE'] } as const
  return [
    endpoint(
      { ...mine, method: 'get', path: '/me/factors', summary: 'My second factors', answer: T.SecondFactors },
      ({ actor }) => factors.overview(actor),
    ),
    endpoint(
      {
        ...proven,
        method: 'post',
        path: '/me/totp',
        summary: 'A new secret for an authenticator',
        body: T.OwnProof,
        answer: T.TotpOffer,
        status: 201,
      },
      ({ actor, login, body }) =>
        provenBy(codes, { actor, loginId: login.loginId }, () =>
          factors.offerTotp({ actor, loginId: login.loginId }, login.email, body),
        ),
    ),
    endpoint(
      {
        ...shown,
        method: 'post',
        path: '/me/totp/confirm',
        summary: 'Ask for a code at the door from now on',
        body: T.TotpConfirm,
        answer: T.BackupCodes,
      },
      ({ actor, login, body, key }) =>
        provenBy(codes, { actor, loginId: login.loginId }, () =>
          factors.confirmTotp({ actor, loginId: login.loginId }, body.code, key),
        ),
    ),
    endpoint(
      {
        ...proven,
        method: 'post',
        path: '/me/totp/remove',
        summary: 'Ask for no code any more',
        body: T.OwnProof,
        answer: Ok,
      },
      ({ actor, login, body, key }) =>
        provenBy(codes, { actor, loginId: login.loginId }, () =>
          factors.removeTotp({ actor, loginId: login.loginId }, body, key),
        ),
    ),
    endpoint(
      {
        ...shown,
        method: 'post',
        path: '/me/backup-codes',
        summary: 'New backup codes in place of the old ones',
        body: T.OwnProof,
        answer: T.BackupCodes,
      },
      ({ actor, login, body, key }) =>
        provenBy(codes, { actor, loginId: login.loginId }, () =>
          factors.renewBackupCodes({ actor, loginId: login.loginId }, body, key),
        ),
    ),
    endpoint(
      {
        ...mine,
        method: 'patch',
        path: '/me/passkeys/:passkeyId',
        summary: 'Rename one of my passkeys',
        body: T.PasskeyName,
        answer: T.SecondFactors,
        errors: ['NOT_FOUND'],
      },
      ({ actor, id, body }) => factors.renamePasskey(actor, id.passkeyId ?? '', body.name),
    ),
    endpoint(
      {
        ...mine,
        method: 'post',
        path: '/me/passkeys/:passkeyId/remove',
        summary: 'Remove one of my passkeys',
        body: T.OwnProof,
        answer: Ok,
        errors: ['NOT_FOUND', 'AUTH_FAILED', 'RATE_LIMITED'],
      },
      ({ actor, login, id, body, key }) =>
        provenBy(codes, { actor, loginId: login.loginId }, () =>
          factors.removePasskey({ actor, loginId: login.loginId }, id.passkeyId ?? '', body, key),
        ),
    ),
  ]
}
