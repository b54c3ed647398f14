import type { PeopleServices } from '../../core'
import { provenBy } from '../limits/proven-by'
import type { WrongLogins } from '../limits/wrong-logins'
import type { Handlers } from './handlers'

/** Routes for second factors. API tokens cannot use them. */
export function factorHandlers(
  { factors }: PeopleServices,
  codes: WrongLogins,
): Handlers<
  | 'getSecondFactors'
  | 'offerTotp'
  | 'confirmTotp'
  | 'removeTotp'
  | 'renewBackupCodes'
  | 'renamePasskey'
  | 'removePasskey'
> {
  return {
    getSecondFactors: ({ actor }) => factors.overview(actor),
    offerTotp: ({ actor, login, body }) =>
      provenBy(codes, { actor, loginId: login.loginId }, () =>
        factors.offerTotp({ actor, loginId: login.loginId }, login.email, body),
      ),
    confirmTotp: ({ actor, login, body, key }) =>
      provenBy(codes, { actor, loginId: login.loginId }, () =>
        factors.confirmTotp({ actor, loginId: login.loginId }, body.code, key),
      ),
    removeTotp: ({ actor, login, body, key }) =>
      provenBy(codes, { actor, loginId: login.loginId }, () =>
        factors.removeTotp({ actor, loginId: login.loginId }, body, key),
      ),
    renewBackupCodes: ({ actor, login, body, key }) =>
      provenBy(codes, { actor, loginId: login.loginId }, () =>
        factors.renewBackupCodes({ actor, loginId: login.loginId }, body, key),
      ),
    renamePasskey: ({ actor, id, body }) => factors.renamePasskey(actor, id.passkeyId, body.name),
    removePasskey: ({ actor, login, id, body, key }) =>
      provenBy(codes, { actor, loginId: login.loginId }, () =>
        factors.removePasskey({ actor, loginId: login.loginId }, id.passkeyId, body, key),
      ),
  }
}
