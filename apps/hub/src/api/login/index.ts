/** The login routes, each with its handler. */
import type { Hono } from 'hono'
import type { WrongLogins } from '../limits/wrong-logins'
import { mountLogins } from './mount-logins'
import { passkeyLogins } from './passkey-logins'
import { passwordLogins } from './password-logins'
import { mountProviderCallback, type OidcDeps, providerLogins, providerTries } from './provider-logins'
import { secondStepLogins } from './second-step'

export type { OidcDeps } from './provider-logins'

/** `codes`: wrong ones of any person, shared with the account's own routes. */
export function mountLogin(app: Hono, deps: OidcDeps, codes: WrongLogins): void {
  const tries = providerTries()
  const handlers = {
    ...passwordLogins(deps, codes),
    ...secondStepLogins(deps, codes),
    ...passkeyLogins(deps, codes),
    ...providerLogins(deps, tries, codes),
  }
  mountLogins(app, handlers, deps)
  mountProviderCallback(app, deps, tries)
}
