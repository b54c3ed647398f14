/**
 * Passkeys at the door and on the account page. One that was used with a finger, a face or a PIN is both factors, so no code is asked
 * after it; whoever adds one shows the password, and a code where one is asked at the door.
 */
import type { OpenAPIHono } from '@hono/zod-openapi'
import { CodedError, OwnProof, PasskeyName } from '@roundhouse/backend-types'
import type { Context } from 'hono'
import { z } from 'zod'
import type { Login } from '../auth/authenticate'
import { AttemptLimit } from './attempt-limit'
import { anybody, authRoute, headersAtTheDoor, signedIn, withCookies } from './auth-route'
import { addressOf, callerOf, countTry, endFormer, type LoginDeps } from './login-edge'
import { provenBy } from './proven-by'
import type { WrongLogins } from './wrong-logins'

/** Each writes a row, and nobody needs to be anybody for it. */
const OPTIONS_PER_MINUTE = 30
type Shown = NonNullable<Parameters<LoginDeps['auth']['api']['verifyPasskeyAuthentication']>[0]>['body']

/** What a browser's authenticator answers. The library reads the rest of it. */
const Credential = z.looseObject({ id: z.string().max(2_000) })

export function mountPasskeys(app: OpenAPIHono, deps: LoginDeps, codes: WrongLogins): void {
  const asked = new AttemptLimit(OPTIONS_PER_MINUTE, 60_000)
  const { auth, core } = deps
  const begin = { path: '/passkey/options', summary: 'Begin to sign in with a passkey', body: z.object({}) }
  authRoute(app, begin, anybody, async (c) => {
    asked.require(addressOf(c, deps))
    const headers = headersAtTheDoor(c)
    const answer = await auth.api.generatePasskeyAuthenticationOptions({ headers, asResponse: true })
    return withCookies(c, answer, { ...((await answer.json()) as object), userVerification: 'required' })
  })
  const use = { path: '/passkey/sign-in', summary: 'Sign in with a passkey', body: z.object({ response: Credential }) }
  authRoute(app, use, anybody, (c, body) => signIn(c, deps, codes, body))
  const offer = { path: '/passkey/register-options', summary: 'Begin to add a passkey', body: OwnProof }
  authRoute(app, offer, signedIn(deps), async (c, proof, login) => {
    await provenBy(codes, login.actor, () => core.factors.prove(login, proof, 'passkey.add'))
    const headers = c.req.raw.headers
    const answer = await auth.api.generatePasskeyRegistrationOptions({ headers, asResponse: true })
    if (!answer.ok) throw new CodedError('AUTH_FAILED')
    return withCookies(c, answer, (await answer.json()) as object)
  })
  const add = {
    path: '/passkey/register',
    summary: 'Add a passkey',
    body: PasskeyName.extend({ response: Credential }),
  }
  authRoute(app, add, signedIn(deps), (c, body, login) => register(c, deps, body, login))
}

async function signIn(
  c: Context,
  deps: LoginDeps,
  codes: WrongLogins,
  body: { response: { id: string } },
): Promise<Response> {
  const { auth, core } = deps
  const who = { action: 'login.begin', email: '', by: 'passkey', ...callerOf(c, deps) } as const
  const counted = `passkey ${body.response.id}`
  await countTry(deps, codes, counted, who)
  const headers = headersAtTheDoor(c)
  const shown = { body: body as unknown as Shown, headers, asResponse: true as const }
  const answer = await auth.api.verifyPasskeyAuthentication(shown).catch(() => null)
  if (!answer?.ok) {
    await core.logins.refused(who, 'wrong')
    throw new CodedError('AUTH_FAILED', 'That passkey was not accepted here.')
  }
  codes.giveBack(counted, who.address)
  const { user } = (await answer.json()) as { user: { email: string } }
  await core.logins.came({ ...who, email: user.email })
  await endFormer(c, deps)
  return withCookies(c, answer)
}

async function register(
  c: Context,
  { auth, core }: LoginDeps,
  { name, response }: z.output<typeof PasskeyName> & { response: unknown },
  { actor }: Login,
): Promise<Response> {
  const request = { body: { name, response }, headers: c.req.raw.headers, asResponse: true as const }
  const answer = await auth.api.verifyPasskeyRegistration(request).catch(() => null)
  if (!answer?.ok) {
    await core.logins.didNot(actor, 'passkey.add', actor.userId)
    throw new CodedError('AUTH_FAILED', 'That passkey was not accepted. Begin anew.')
  }
  const { id } = (await answer.json()) as { id: string }
  await core.logins.did(actor, 'passkey.add', id)
  return withCookies(c, answer)
}
