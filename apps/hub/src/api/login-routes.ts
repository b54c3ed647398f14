/**
 * The login routes that people use, and no other: what the library and its plugins bring along (sign-up, impersonation,
 * links by mail, answers that hold a session's token) is not there.
 */
import type { OpenAPIHono } from '@hono/zod-openapi'
import { CodedError } from '@roundhouse/backend-types'
import type { Context } from 'hono'
import { z } from 'zod'
import { anybody, authRoute, signedIn, withCookies } from './auth-route'
import { callerOf, countTry, endFormer, type LoginDeps, loginOf, withBody } from './login-edge'
import { mountOidc, type OidcDeps } from './oidc-routes'
import { mountPasskeys } from './passkey-routes'
import { provenBy } from './proven-by'
import { mountSecondStep } from './second-step'
import { createWrongLogins, type WrongLogins } from './wrong-logins'

const Credentials = z.object({ email: z.string().max(320), password: z.string().max(1_000) })
const NewPassword = z.object({
  currentPassword: z.string().max(1_000),
  newPassword: z.string().max(1_000),
  revokeOtherSessions: z.boolean().optional(),
})

/** `codes`: wrong ones of any person, shared with the account's own routes. */
export function mountLogin(app: OpenAPIHono, deps: OidcDeps, codes: WrongLogins): void {
  const limits = createWrongLogins()
  authRoute(app, { path: '/sign-in/email', summary: 'Sign in', body: Credentials }, anybody, (c, body) =>
    signIn(c, deps, limits, body),
  )
  authRoute(app, { path: '/sign-out', summary: 'Sign out', body: z.strictObject({}) }, anybody, async (c) => {
    const login = await loginOf(c, deps)
    const answer = await deps.auth.handler(withBody(c, {}))
    if (login && answer.ok) await deps.core.logins.did(login.actor, 'login.end', login.loginId)
    return withCookies(c, answer)
  })
  const change = { path: '/change-password', summary: 'Change my password', body: NewPassword }
  authRoute(app, change, signedIn(deps), (c, body, { actor }) =>
    provenBy(codes, actor, async () => {
      const answer = await deps.auth.handler(withBody(c, body))
      await deps.core.logins[answer.ok ? 'did' : 'didNot'](actor, 'password.change', actor.userId)
      if (!answer.ok) throw refusalOf(answer, 'That is not the password you have, or the new one is too short.')
      if (body.revokeOtherSessions) await deps.core.account.endTokens(actor)
      return withCookies(c, answer)
    }),
  )
  mountSecondStep(app, deps, codes)
  mountPasskeys(app, deps, codes)
  mountOidc(app, deps, codes)
}

async function signIn(
  c: Context,
  deps: LoginDeps,
  limits: WrongLogins,
  credentials: z.output<typeof Credentials>,
): Promise<Response> {
  const account = credentials.email.trim().toLowerCase()
  const { auth, core } = deps
  const who = { action: 'login.begin', email: account, ...callerOf(c, deps) } as const
  await countTry(deps, limits, account, who)
  const answer = await auth.handler(withBody(c, credentials))
  const isJudged = answer.status !== 429 && answer.status < 500
  if (!answer.ok && isJudged)
    await core.logins.refused(who, answer.status === 401 ? 'wrong' : `answer ${answer.status}`)
  if (answer.ok || !isJudged) limits.giveBack(account, who.address)
  if (!answer.ok) throw refusalOf(answer, 'E-mail or password is wrong.')
  const { twoFactorRedirect: codeNeeded = false } = (await answer.json()) as { twoFactorRedirect?: boolean }
  if (!codeNeeded) await core.logins.came(who)
  await endFormer(c, deps)
  return withCookies(c, answer, { ok: true, codeNeeded })
}

function refusalOf(answer: Response, wrong: string): CodedError {
  if (answer.status === 429) {
    return new CodedError('RATE_LIMITED', undefined, {
      retryAfterSeconds: Number(answer.headers.get('x-retry-after') ?? 10),
    })
  }
  return new CodedError('AUTH_FAILED', wrong)
}
