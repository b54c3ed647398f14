/**
 * Mounts the table of login routes: checks the caller, parses the body, calls the handler and shapes the answer. Other
 * routes of the login library and its plugins (sign-up, impersonation, links by mail, answers with a session token) are not
 * reachable.
 */
import {
  type LoginAnswer,
  type LoginBodyRead,
  type LoginPath,
  type LoginRouteSpec,
  type LoginWho,
  loginRoutes,
} from '@roundhouse/backend-types'
import type { Context, Hono } from 'hono'
import type { Login } from '../../auth/authenticate'
import { type Callers, callers } from './login-callers'
import { bodyOf, type LoginDeps } from './login-edge'

export interface LoginCall<P extends LoginPath> {
  c: Context
  body: LoginBodyRead<P>
  who: Callers[LoginWho<P>]
}

export type LoginHandlers<P extends LoginPath> = {
  [K in P]: (call: LoginCall<K>) => Promise<LoginAnswer<K>>
}

/** Routes that exist only if the hub has an identity provider. */
export type ProviderPath = {
  [P in LoginPath]: (typeof loginRoutes)[P] extends { needsProvider: true } ? P : never
}[LoginPath]
export type AllLoginHandlers = LoginHandlers<Exclude<LoginPath, ProviderPath>> & Partial<LoginHandlers<ProviderPath>>

export function mountLogins(app: Hono, handlers: AllLoginHandlers, deps: LoginDeps): void {
  for (const [path, route] of Object.entries(loginRoutes) as Array<[LoginPath, LoginRouteSpec]>) {
    const run = handlers[path] as ((call: unknown) => Promise<object>) | undefined
    if (!run) continue
    app.post(`/api/auth${path}`, async (c) => {
      const who = await callers[route.who](c, deps)
      const body = route.body.parse(await bodyOf(c))
      // Asked again once the body has come (AUTH-1).
      if (route.who === 'person') await deps.core.rights.requireStill((who as Login).actor)
      return c.json(await run({ c, body, who }))
    })
  }
}
