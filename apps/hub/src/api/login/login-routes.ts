/**
 * The login routes that people use, and no other: what the library and its plugins bring along (sign-up, impersonation,
 * links by mail, answers that hold a session's token) is not there.
 */
import { CodedError, Password } from '@roundhouse/backend-types'
import type { Context } from 'hono'
import { z } from 'zod'
import { provenBy } from '../limits/proven-by'
import { createWrongLogins, type WrongLogins } from '../limits/wrong-logins'
import { anybody, authRoute, beginning, type LoginRouter, signedIn } from './auth-route'
import { type Beginner, countTry, type LoginDeps } from './login-edge'
import { mountOidc, type OidcDeps } from './oidc-routes'
import { mountPasskeys } from './passkey-routes'
import { mountSecondStep } from './second-step'

const Credentials = z.object({ email: z.string().max(320), password: z.string().max(1_000) })
const NewPassword = z.object({
  currentPassword: z.string().max(1_000),
  newPassword: Password,
  revokeOtherSessions: z.boolean().optional(),
})

/** `codes`: wrong ones of any person, shared with the account's own routes. */
export function mountLogin(router: LoginRouter, deps: OidcDeps, codes: WrongLogins): void {
  const limits = createWrongLogins()
  const { logins } = deps.core
  const enter = { path: '/sign-in/email', summary: 'Sign in', body: Credentials }
  authRoute(router, enter, beginning(deps), (c, body, who) => signIn(c, deps, limits, body, who))
  const leave = { path: '/sign-out', summary: 'Sign out', body: z.strictObject({}) }
  authRoute(router, leave, anybody(deps), async (c, _body, login) => {
    if (login) await logins.out(login)
    return c.json({ ok: true })
  })
  const change = { path: '/change-password', summary: 'Change my password', body: NewPassword }
  authRoute(router, change, signedIn(deps), async (c, body, login) => {
    await provenBy(codes, login, () => logins.changePassword(login, body))
    return c.json({ ok: true })
  })
  mountSecondStep(router, deps, codes)
  mountPasskeys(router, deps, codes)
  mountOidc(router, deps, codes)
}

async function signIn(
  c: Context,
  deps: LoginDeps,
  limits: WrongLogins,
  credentials: z.output<typeof Credentials>,
  { arrival, known }: Beginner,
): Promise<Response> {
  const account = credentials.email.trim().toLowerCase()
  const { logins } = deps.core
  const { address, device } = arrival
  const who = { action: 'login.begin', email: account, address, device } as const
  const attempt = { account, address, known: known?.email === account ? known.keyId : undefined }
  await countTry(deps, limits, attempt, who)
  const outcome = await logins.byPassword(arrival, credentials).catch((unjudged: unknown) => {
    limits.giveBack(attempt)
    throw unjudged
  })
  if (outcome === 'in' || outcome === 'codeNeeded') limits.giveBack(attempt)
  if (outcome === 'wrong' || outcome === 'disabled') {
    await logins.refused(who, outcome)
    throw new CodedError('AUTH_FAILED', 'E-mail or password is wrong.')
  }
  return c.json({ ok: true, codeNeeded: outcome === 'codeNeeded' })
}
