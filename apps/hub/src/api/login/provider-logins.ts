/**
 * Sign-in by the identity provider, and the link to it. The browser returns with a navigation, which proves no key. The
 * provider's answer therefore goes on to a page of this hub, after a `#`, and that page submits it with the key that started
 * the sign-in. The final page is always a path of this hub that is chosen here. Of the returned parameters, four reach
 * better-auth.
 */

import { CodedError, OidcAnswer, type OidcRefusal } from '@roundhouse/backend-types'
import type { Context, Hono } from 'hono'
import { z } from 'zod'
import type { Login } from '../../auth/authenticate'
import { type Acting, acting } from '../../auth/guarded-adapter'
import type { Discover } from '../../auth/oidc-discovery'
import { OIDC_CALLBACK_PATH } from '../../auth/web-guard'
import type { Arrival, PeopleServices } from '../../core'
import { AttemptLimit } from '../limits/attempt-limit'
import { provenBy } from '../limits/proven-by'
import type { WrongLogins } from '../limits/wrong-logins'
import { addressOf, callerOf, cookiesOf, type LoginDeps, libraryHeaders } from './login-edge'
import type { LoginHandlers, ProviderPath } from './mount-logins'

const TRIES_PER_MINUTE = 60
const REFUSALS_TOLD = 5
const WINDOW_MS = 15 * 60_000
const answerNames = Object.keys(OidcAnswer.shape) as Array<keyof OidcAnswer>

/** What the library answers: a page goes there. */
const Way = z.object({ url: z.url() })

export interface OidcDeps extends LoginDeps {
  core: Pick<PeopleServices, 'logins' | 'account' | 'factors' | 'rights'>
  oidc?: { label: string; discover: Discover } | undefined
}

/** Where the browser goes, in which the library would have kept a cookie. */
interface WayOut {
  callbackURL: string
  errorCallbackURL: string
  link?: { userId: string; email: string }
}

/** Empty where the hub has no identity provider. */
export function providerLogins(
  deps: OidcDeps,
  tries: AttemptLimit,
  codes: WrongLogins,
): Partial<LoginHandlers<ProviderPath>> {
  const { oidc, core, auth } = deps
  if (!oidc) return {}
  const told = new AttemptLimit(REFUSALS_TOLD, WINDOW_MS)
  const count = (c: Context) => tries.require(addressOf(c, deps))
  const wayOut = async (c: Context, stepOf: string, way: WayOut, proven: { basis?: string } = {}) => {
    count(c)
    await oidc.discover()
    const answer = await auth.api.beginAtProvider({ body: way, headers: libraryHeaders(c), asResponse: true })
    await core.logins.keepStep(stepOf, { kind: 'provider', cookies: cookiesOf(answer), ...proven })
    return Way.parse(await answer.json())
  }
  return {
    '/sign-in/social': ({ c, body, who: { arrival } }) => {
      const next = ownPath(body.next)
      const way = { callbackURL: next, errorCallbackURL: `/login?${new URLSearchParams({ next })}` }
      return wayOut(c, arrival.key.keyId, way)
    },
    '/link-social': async ({ c, body: proof, who: login }) => {
      const basis = await provenBy(codes, login, () => core.factors.prove(login, proof, 'identity.link'))
      if ((await core.account.linkedAt(login.actor)) !== null)
        throw new CodedError('REV_CHANGED', 'The account is already linked.')
      const whom = { userId: login.actor.userId, email: login.email }
      const way = { callbackURL: '/account', errorCallbackURL: '/account', link: whom }
      return wayOut(c, linkStep(login), way, { basis })
    },
    '/sign-in/back': async ({ c, body, who: { arrival } }) => {
      count(c)
      return signInBack(c, deps, told, body, arrival)
    },
    '/link-back': async ({ c, body, who: login }) => {
      count(c)
      return { to: await linkBack(c, deps, told, body, login) }
    },
  }
}

/**
 * The browser returns with a navigation, and continues to a page that submits the answer with the key that started the
 * sign-in.
 */
export function mountProviderCallback(app: Hono, deps: OidcDeps, tries: AttemptLimit): void {
  if (!deps.oidc) return
  app.get(OIDC_CALLBACK_PATH, (c) => {
    tries.require(addressOf(c, deps))
    return c.redirect(`/login/back#${new URLSearchParams(answerOf(c))}`)
  })
}

export const providerTries = () => new AttemptLimit(TRIES_PER_MINUTE, 60_000)

/** A link that is under way belongs to the login. */
const linkStep = ({ loginId }: Login) => `link ${loginId}`

function answerOf(c: Context): Record<string, string> {
  const said = answerNames.map((name) => [name, c.req.query(name)] as const)
  return Object.fromEntries(said.filter((pair): pair is [keyof OidcAnswer, string] => pair[1] !== undefined))
}

async function signInBack(
  c: Context,
  deps: OidcDeps,
  told: AttemptLimit,
  said: OidcAnswer,
  arrival: Arrival,
): Promise<{ to: string; signedIn: boolean }> {
  const { logins } = deps.core
  const { key } = arrival
  const step = await logins.takeStep(key.keyId, 'provider')
  const by = { as: 'beginner', key, by: 'provider' } as const
  const end = step ? await askLibrary(c, deps, said, step.cookies, by) : { ...nowhere, error: 'state_not_found' }
  const begun = end.error === null ? await logins.personOf(key.keyId) : null
  if (begun === null) return { to: await refused(c, deps, told, end), signedIn: false }
  await logins.settle({ ...arrival, by: 'identity provider' }, begun)
  return { to: ownPath(end.path), signedIn: true }
}

async function linkBack(
  c: Context,
  deps: OidcDeps,
  told: AttemptLimit,
  said: OidcAnswer,
  login: Login,
): Promise<string> {
  const { actor, loginId } = login
  const step = await deps.core.logins.takeStep(linkStep(login), 'provider')
  const by = { as: 'person', userId: actor.userId, loginId, name: login.email, basis: step?.basis } as const
  const end = step ? await askLibrary(c, deps, said, step.cookies, by) : { ...nowhere, error: 'state_not_found' }
  if (end.error !== null) return refused(c, deps, told, { ...end, path: '/account' })
  await deps.core.logins.did(actor, 'identity.link', actor.userId)
  return ownPath(end.path)
}

interface End {
  path: string
  error: string | null
  next: string
}

const nowhere: End = { path: '/login', error: 'no redirect', next: '/' }

async function askLibrary(c: Context, { auth }: OidcDeps, said: OidcAnswer, cookies: string, by: Acting): Promise<End> {
  const url = new URL(OIDC_CALLBACK_PATH, c.req.url)
  for (const name of answerNames) {
    const value = said[name]
    if (value !== undefined) url.searchParams.set(name, value)
  }
  const request = new Request(url, { headers: libraryHeaders(c, cookies) })
  return endOf(await acting.run(by, () => auth.handler(request)))
}

/** Where the library would send the browser. What is no redirect went wrong as well. */
function endOf(answer: Response): End {
  const location = answer.headers.get('location')
  if (location === null) return nowhere
  const { pathname, search, searchParams } = new URL(location, 'http://hub.invalid')
  const error = searchParams.get('error')
  const path = error === null ? `${pathname}${search}` : pathname
  return { path, error, next: ownPath(searchParams.get('next')) }
}

async function refused(c: Context, deps: OidcDeps, told: AttemptLimit, { path, error, next }: End): Promise<string> {
  const word = wordOf(error ?? 'failed')
  const who = { action: 'login.begin', by: 'identity provider', email: '', ...callerOf(c, deps) } as const
  // A few for each address: nobody fills the audit log from outside.
  if (told.takes(who.address)) await deps.core.logins.refused(who, word)
  const page = path === '/account' ? path : '/login'
  const kept = next === '/' ? '' : `&next=${encodeURIComponent(next)}`
  return `${page}?refused=${word}${kept}`
}

/** The page that the person wanted to open. An address that is not a path of ours becomes the home page. */
const ownPath = (said: string | null) => (said !== null && /^\/(?![/\\])[!-[\]-~]*$/.test(said) ? said : '/')

const words: Readonly<Record<string, OidcRefusal>> = {
  signup_disabled: 'unknown',
  account_not_linked: 'unknown',
  BANNED_USER: 'disabled',
  account_already_linked_to_different_user: 'taken',
  state_mismatch: 'stale',
  state_not_found: 'stale',
  state_invalid: 'stale',
  access_denied: 'denied',
}

/** Nothing that a stranger can put into the address is shown to anybody. */
const wordOf = (error: string): OidcRefusal => words[error] ?? 'failed'
