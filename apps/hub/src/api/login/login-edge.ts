/** Shared by the login routes: the caller's address and key, and the parts of a request that reach better-auth. */
import { CodedError, proofHeaders } from '@roundhouse/backend-types'
import type { Context } from 'hono'
import type { Authenticate, Login, Recognise } from '../../auth/authenticate'
import type { Auth } from '../../auth/better-auth'
import type { Proofs } from '../../auth/proofs'
import type { Arrival, AtTheDoor, KnownKey, PeopleServices } from '../../core'
import type { Try, WrongLogins } from '../limits/wrong-logins'
import { readBody } from '../request/read-body'
import { deviceOf, requestOf, shownBy } from '../request/sender'

export interface LoginDeps {
  auth: Pick<Auth, 'api' | 'handler'>
  authenticate: Authenticate
  recognise: Recognise
  proofs: Pick<Proofs, 'judgeNewKey' | 'nonce'>
  core: Pick<PeopleServices, 'logins' | 'factors' | 'rights'>
  addressHeader: string
}

/** A small limit for every sender. */
export const bodyOf = (c: Context) => (c.req.header('content-length') === '0' ? {} : readBody(c, null))

export const addressOf = (c: Context, { addressHeader }: Pick<LoginDeps, 'addressHeader'>) =>
  c.req.header(addressHeader) ?? ''

/** From where somebody comes, for the audit log. */
export const callerOf = (c: Context, deps: Pick<LoginDeps, 'addressHeader'>) => ({
  address: addressOf(c, deps),
  device: deviceOf(c.req.header('user-agent')),
})

/** A browser that begins to sign in: the key it made for that, and what its former key says of it. */
export interface Beginner {
  arrival: Arrival
  known: KnownKey | null
}

/** Throws `KEY_REQUIRED` where the browser made no key. */
export async function beginner(c: Context, deps: LoginDeps): Promise<Beginner> {
  const { login, known } = await deps.recognise(shownBy(c))
  const key = deps.proofs.judgeNewKey(c.req.header(proofHeaders.newKey), requestOf(c))
  if (!key) throw new CodedError('KEY_REQUIRED')
  const former = login && withAddress(c, deps, login)
  const userAgent = c.req.header('user-agent') ?? ''
  return { arrival: { key, former, userAgent, ...callerOf(c, deps) }, known }
}

export function withAddress(c: Context, deps: Pick<LoginDeps, 'addressHeader'>, login: Login): Login {
  return { ...login, actor: { ...login.actor, address: addressOf(c, deps) } }
}

/** Before a secret is judged. Throws `RATE_LIMITED`; the first time for an address the audit log says so. */
export async function countTry(
  { core }: Pick<LoginDeps, 'core'>,
  limits: WrongLogins,
  attempt: Try,
  who: AtTheDoor,
): Promise<void> {
  try {
    limits.count(attempt)
  } catch (refusal) {
    if (limits.isNews(who.address)) await core.logins.refused(who, 'too many attempts')
    throw refusal
  }
}

/** What a request hands to the library: the page's headers without any credential, and the cookies that were kept for this step. */
export function libraryHeaders(c: Context, cookies = ''): Headers {
  const headers = new Headers()
  for (const name of ['origin', 'host', 'user-agent', 'accept-language']) {
    const value = c.req.header(name)
    if (value !== undefined) headers.set(name, value)
  }
  if (cookies !== '') headers.set('cookie', cookies)
  return headers
}

/** What the library wants to see again. It is kept for the key, and never sent to a browser. */
export const cookiesOf = (answer: Response): string =>
  answer.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
