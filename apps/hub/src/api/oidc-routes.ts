/**
 * Sign-in by the identity provider, and the link to it: two ways out, one way back. Where
 * people end is always a path of this hub that is chosen here; of what comes back, four parameters reach better-auth.
 */
import type { OpenAPIHono } from '@hono/zod-openapi'
import { CodedError, type OidcRefusal, OwnProof } from '@roundhouse/backend-types'
import type { Context } from 'hono'
import { z } from 'zod'
import { OIDC } from '../auth/oidc'
import type { Discover } from '../auth/oidc-discovery'
import { OIDC_CALLBACK_PATH } from '../auth/web-guard'
import type { Core } from '../core'
import { AttemptLimit } from './attempt-limit'
import { anybody, authRoute, signedIn, withCookies } from './auth-route'
import { addressOf, callerOf, endFormer, type LoginDeps, loginOf, withBody } from './login-edge'
import { provenBy } from './proven-by'
import type { WrongLogins } from './wrong-logins'

const TRIES_PER_MINUTE = 60
const REFUSALS_TOLD = 5
const WINDOW_MS = 15 * 60_000

const Begin = z.object({ next: z.string().max(2_000).default('/') })
const Way = z.object({ url: z.url() })

export interface OidcDeps extends LoginDeps {
  core: Pick<Core, 'logins' | 'account' | 'factors'>
  oidc?: { label: string; discover: Discover } | undefined
}

export function mountOidc(app: OpenAPIHono, deps: OidcDeps, codes: WrongLogins): void {
  const { oidc, core, auth } = deps
  if (!oidc) return
  const tries = new AttemptLimit(TRIES_PER_MINUTE, 60_000)
  const told = new AttemptLimit(REFUSALS_TOLD, WINDOW_MS)
  const count = (c: Context) => tries.require(addressOf(c, deps))
  /** Where the browser goes now, with the state in a cookie. */
  const wayOut = async (c: Context, callbackURL: string, errorCallbackURL: string) => {
    count(c)
    await oidc.discover()
    const ways = { provider: OIDC, callbackURL, errorCallbackURL, disableRedirect: true }
    const answer = await auth.handler(withBody(c, ways))
    return withCookies(c, answer, Way.parse(await answer.json()))
  }
  const begin = { path: '/sign-in/social', summary: 'Begin to sign in by the identity provider', body: Begin }
  authRoute(app, begin, anybody, (c, body) => {
    const next = ownPath(body.next)
    return wayOut(c, next, `/login?${new URLSearchParams({ next })}`)
  })
  const link = { path: '/link-social', summary: 'Begin to link the identity provider', body: OwnProof }
  authRoute(app, link, signedIn(deps), async (c, proof, login) => {
    await provenBy(codes, login.actor, () => core.factors.prove(login, proof, 'identity.link'))
    if (core.account.linkedAt(login.actor) !== null) throw new CodedError('REV_CHANGED', 'It is linked already.')
    return wayOut(c, '/account', '/account')
  })
  describeWayBack(app)
  app.get(OIDC_CALLBACK_PATH, async (c) => {
    count(c)
    return wayBack(c, deps, told)
  })
}

function describeWayBack(app: OpenAPIHono): void {
  app.openAPIRegistry.registerPath({
    method: 'get',
    path: OIDC_CALLBACK_PATH,
    summary: 'The way back from the identity provider',
    tags: ['login'],
    security: [],
    responses: { 302: { description: 'To a page of this hub' } },
  })
}

async function wayBack(c: Context, deps: OidcDeps, told: AttemptLimit): Promise<Response> {
  const { auth, authenticate, core } = deps
  const former = await loginOf(c, deps)
  const answer = await auth.handler(onlyKnownParameters(c))
  const { path, error, next } = endOf(answer)
  if (error !== null) {
    await tellRefusal(c, deps, told, error)
    const page = path === '/account' ? path : '/login'
    const kept = next === '/' ? '' : `&next=${encodeURIComponent(next)}`
    return goTo(`${page}?refused=${wordOf(error)}${kept}`, answer)
  }
  const begun = await authenticate({ cookie: cookiesOf(answer) })
  if (begun) {
    await core.logins.came({ ...whoOf(c, deps), email: begun.email })
    await endFormer(c, deps)
  } else if (former) await core.logins.did(former.actor, 'identity.link', former.actor.userId)
  return goTo(ownPath(path), answer)
}

/** Where a person wanted to go. An address that is not a path of ours leads home. */
const ownPath = (said: string | null) => (said !== null && /^\/(?![/\\])[!-[\]-~]*$/.test(said) ? said : '/')

function onlyKnownParameters(c: Context): Request {
  const url = new URL(c.req.url)
  url.search = ''
  for (const name of ['code', 'state', 'error', 'iss']) {
    const value = c.req.query(name)
    if (value !== undefined) url.searchParams.set(name, value)
  }
  return new Request(url, { headers: c.req.raw.headers })
}

/** Where the library would send the browser. What is no redirect went wrong as well. */
function endOf(answer: Response): { path: string; error: string | null; next: string } {
  const location = answer.headers.get('location')
  if (location === null) return { path: '/account', error: 'no redirect', next: '/' }
  const { pathname, search, searchParams } = new URL(location, 'http://hub.invalid')
  const error = searchParams.get('error')
  return {
    path: error === null ? `${pathname}${search}` : pathname,
    error,
    next: ownPath(searchParams.get('next')),
  }
}

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

const whoOf = (c: Context, deps: OidcDeps) =>
  ({ action: 'login.begin', by: 'identity provider', ...callerOf(c, deps) }) as const

/** A few for each address: nobody fills the audit log from outside. */
async function tellRefusal(c: Context, deps: OidcDeps, told: AttemptLimit, error: string): Promise<void> {
  const who = whoOf(c, deps)
  if (!told.takes(who.address)) return
  await deps.core.logins.refused({ ...who, email: '' }, wordOf(error))
}

const cookiesOf = (answer: Response) =>
  answer.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')

function goTo(location: string, { headers }: Response): Response {
  const answer = new Response(null, { status: 302, headers: { location } })
  for (const line of headers.getSetCookie()) answer.headers.append('set-cookie', line)
  return answer
}
