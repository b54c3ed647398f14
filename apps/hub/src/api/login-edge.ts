/** What the routes of logins share: who comes from where, whose cookie they carry, and what reaches better-auth of it. */
import type { Context } from 'hono'
import type { Authenticate, Login } from '../auth/authenticate'
import type { Auth } from '../auth/better-auth'
import type { AtTheDoor, Core } from '../core'
import { deviceOf } from './endpoint'
import { readBody } from './read-body'
import type { WrongLogins } from './wrong-logins'

export interface LoginDeps {
  auth: Pick<Auth, 'api' | 'handler'>
  authenticate: Authenticate
  core: Pick<Core, 'logins' | 'factors'>
  addressHeader: string
}

/** Small, whoever sends it. */
export const bodyOf = (c: Context) => (c.req.header('content-length') === '0' ? {} : readBody(c, null))

export const addressOf = (c: Context, { addressHeader }: Pick<LoginDeps, 'addressHeader'>) =>
  c.req.header(addressHeader) ?? ''

/** From where somebody comes, for the audit log. */
export const callerOf = (c: Context, deps: Pick<LoginDeps, 'addressHeader'>) => ({
  address: addressOf(c, deps),
  device: deviceOf(c.req.header('user-agent')),
})

/** Before a secret is judged. Throws `RATE_LIMITED`; the first time for an address the audit log says so. */
export async function countTry(
  { core }: Pick<LoginDeps, 'core'>,
  limits: WrongLogins,
  account: string,
  who: AtTheDoor,
): Promise<void> {
  try {
    limits.count(account, who.address)
  } catch (refusal) {
    if (limits.isNews(who.address)) await core.logins.refused(who, 'too many attempts')
    throw refusal
  }
}

/** Whose cookie the request carries: these routes know no token. */
export async function loginOf(c: Context, deps: LoginDeps): Promise<Login | null> {
  const login = await deps.authenticate({ cookie: c.req.header('cookie') })
  return login && { ...login, actor: { ...login.actor, address: addressOf(c, deps) } }
}

/** T75: whatever login this browser had before ends here. */
export async function endFormer(c: Context, deps: LoginDeps): Promise<void> {
  const cookie = c.req.header('cookie')
  if (!cookie) return
  const former = await loginOf(c, deps)
  await deps.auth.api.signOut({ headers: new Headers({ cookie }) }).catch(() => {})
  if (former) await deps.core.logins.did(former.actor, 'login.end', former.loginId)
}

/** Only what was read: nothing that the schema does not know reaches better-auth. */
export function withBody(c: Context, body: unknown): Request {
  const headers = new Headers(c.req.raw.headers)
  headers.delete('content-length')
  headers.set('content-type', 'application/json')
  return new Request(c.req.url, { method: c.req.method, headers, body: JSON.stringify(body) })
}
