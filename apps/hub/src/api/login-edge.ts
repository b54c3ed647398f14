/** What the routes of logins share: whose cookie a request carries, and what of it reaches better-auth. */
import type { Context } from 'hono'
import type { Authenticate, Login } from '../auth/authenticate'
import type { Auth } from '../auth/better-auth'
import type { Core } from '../core'
import { readBody } from './endpoint'

export interface LoginDeps {
  auth: Pick<Auth, 'api' | 'handler'>
  authenticate: Authenticate
  core: Pick<Core, 'logins' | 'factors'>
  addressHeader: string
}

export const bodyOf = (c: Context) => (c.req.header('content-length') === '0' ? {} : readBody(c))

/** Whose cookie the request carries: these routes know no token. */
export async function loginOf(c: Context, { authenticate, addressHeader }: LoginDeps): Promise<Login | null> {
  const login = await authenticate({ cookie: c.req.header('cookie') })
  return login && { ...login, actor: { ...login.actor, address: c.req.header(addressHeader) ?? '' } }
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
