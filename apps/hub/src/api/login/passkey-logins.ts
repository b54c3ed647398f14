/**
 * Sign-in by passkey, and passkeys on the account page. A passkey that was unlocked with a finger, a face or a PIN is both
 * factors, so the hub asks for no code after it. To add one, a person enters the password, and a code if sign-in requires
 * one. A challenge is kept for the key that requested it.
 */
import { CodedError, type LoginAnswer } from '@roundhouse/backend-types'
import type { Login } from '../../auth/authenticate'
import { acting } from '../../auth/guarded-adapter'
import { AttemptLimit } from '../limits/attempt-limit'
import { provenBy } from '../limits/proven-by'
import type { WrongLogins } from '../limits/wrong-logins'
import { addressOf, cookiesOf, countTry, type LoginDeps, libraryHeaders } from './login-edge'
import type { LoginCall, LoginHandlers } from './mount-logins'

/** Each writes a row, and nobody needs to be anybody for it. */
const OPTIONS_PER_MINUTE = 30
type Shown = NonNullable<Parameters<LoginDeps['auth']['api']['verifyPasskeyAuthentication']>[0]>['body']

type PasskeyPath = '/passkey/options' | '/passkey/sign-in' | '/passkey/register-options' | '/passkey/register'

export function passkeyLogins(deps: LoginDeps, codes: WrongLogins): LoginHandlers<PasskeyPath> {
  const asked = new AttemptLimit(OPTIONS_PER_MINUTE, 60_000)
  const { auth, core } = deps
  const keep = (keyId: string, answer: Response, proven: { basis?: string } = {}) =>
    core.logins.keepStep(keyId, { kind: 'passkey', cookies: cookiesOf(answer), ...proven })
  return {
    '/passkey/options': async ({ c, who: { arrival } }) => {
      asked.require(addressOf(c, deps))
      const headers = libraryHeaders(c)
      const answer = await auth.api.generatePasskeyAuthenticationOptions({ headers, asResponse: true })
      await keep(arrival.key.keyId, answer)
      return { ...((await answer.json()) as Options), userVerification: 'required' }
    },
    '/passkey/sign-in': (call) => signIn(call, deps, codes),
    '/passkey/register-options': async ({ c, body: proof, who: login }) => {
      const basis = await provenBy(codes, login, () => core.factors.prove(login, proof, 'passkey.add'))
      const headers = libraryHeaders(c)
      const answer = await acting.run(asPerson(login), () =>
        auth.api.generatePasskeyRegistrationOptions({ headers, asResponse: true }),
      )
      if (!answer.ok) throw new CodedError('AUTH_FAILED')
      await keep(stepOf(login), answer, { basis })
      return (await answer.json()) as Options
    },
    '/passkey/register': (call) => register(call, deps),
  }
}

type Options = LoginAnswer<'/passkey/options'>

/** A challenge to somebody who is signed in belongs to the login. */
const stepOf = ({ loginId }: Login) => `login ${loginId}`

const asPerson = ({ actor, loginId, email }: Login, basis?: string) =>
  ({ as: 'person', userId: actor.userId, loginId, name: email, basis }) as const

async function signIn(
  { c, body, who: { arrival, known } }: LoginCall<'/passkey/sign-in'>,
  deps: LoginDeps,
  codes: WrongLogins,
): Promise<{ ok: true }> {
  const { auth, core } = deps
  const { key, address, device } = arrival
  const who = { action: 'login.begin', email: '', by: 'passkey', address, device } as const
  const attempt = { account: `passkey ${body.response.id}`, address, known: known?.keyId }
  await countTry(deps, codes, attempt, who)
  const step = await core.logins.takeStep(key.keyId, 'passkey')
  const headers = libraryHeaders(c, step?.cookies)
  const shown = { body: body as unknown as Shown, headers, asResponse: true as const }
  const by = { as: 'beginner', key, by: { passkey: body.response.id } } as const
  const answer = await acting.run(by, () => auth.api.verifyPasskeyAuthentication(shown)).catch(() => null)
  if (!answer?.ok) {
    await core.logins.refused(who, 'wrong')
    throw new CodedError('AUTH_FAILED', 'The hub did not accept that passkey.')
  }
  codes.giveBack(attempt)
  const { user } = (await answer.json()) as { user: { id: string } }
  await core.logins.settle({ ...arrival, by: 'passkey' }, user.id)
  return { ok: true }
}

async function register(
  { c, body: { name, response }, who: login }: LoginCall<'/passkey/register'>,
  { auth, core }: LoginDeps,
): Promise<{ ok: true }> {
  const { actor } = login
  const step = await core.logins.takeStep(stepOf(login), 'passkey')
  const as = asPerson(login, step?.basis)
  const request = { body: { name, response }, headers: libraryHeaders(c, step?.cookies), asResponse: true as const }
  const answer = await acting.run(as, () => auth.api.verifyPasskeyRegistration(request)).catch(() => null)
  if (!answer?.ok) {
    await core.logins.didNot(actor, 'passkey.add', actor.userId)
    throw new CodedError('AUTH_FAILED', 'The hub did not accept that passkey. Start again.')
  }
  const { id } = (await answer.json()) as { id: string }
  await core.logins.did(actor, 'passkey.add', id)
  return { ok: true }
}
