/** One route under `/api/auth`: POST alone, JSON that says so, and listed in the document like every other route. */
import { CodedError } from '@roundhouse/backend-types'
import type { Context, Hono } from 'hono'
import type { z } from 'zod'
import type { Login } from '../../auth/authenticate'
import type { LoginRoute } from '../document/openapi'
import { shownBy } from '../request/sender'
import { type Beginner, beginner, bodyOf, type LoginDeps, withAddress } from './login-edge'

/** Where the routes of the login are mounted and listed. */
export interface LoginRouter {
  app: Hono
  logins: LoginRoute[]
}

interface AuthRoute<B extends z.ZodType> {
  /** Under `/api/auth`. */
  path: string
  summary: string
  body: B
}

/** Who comes, judged before anything is read. Throws `AUTH_REQUIRED` where that is nobody. */
export type Who<L> = ((c: Context) => Promise<L>) & {
  open?: true
  /** Asked again once the body has come (AUTH-1). Throws where the rights have ended. */
  requireStill?: (who: L) => void
}

type Handler<B extends z.ZodType, L> = (c: Context, body: z.output<B>, who: L) => Promise<Response>

/** For whoever comes to the door with a key that was made for this sign-in. */
export const beginning = (deps: LoginDeps): Who<Beginner> =>
  Object.assign((c: Context) => beginner(c, deps), { open: true as const })

/** For whoever is signed in, or is not any more. */
export const anybody = (deps: LoginDeps): Who<Login | null> =>
  Object.assign(
    async (c: Context) => {
      const { login } = deps.recognise(shownBy(c))
      return login && withAddress(c, deps, login)
    },
    { open: true as const },
  )

/** For whoever is signed in. Whoever shows a token is judged by it alone, and no token does that. */
export function signedIn(deps: LoginDeps): Who<Login> {
  const judge = async (c: Context) => {
    const login = await deps.authenticate(shownBy(c))
    if (!login) throw new CodedError('AUTH_REQUIRED')
    if (login.program) throw new CodedError('FORBIDDEN', 'Only the person can do that, while signed in.')
    return withAddress(c, deps, login)
  }
  return Object.assign(judge, { requireStill: ({ actor }: Login) => deps.core.rights.requireStill(actor) })
}

export function authRoute<B extends z.ZodType, L>(
  { app, logins }: LoginRouter,
  route: AuthRoute<B>,
  who: Who<L>,
  run: Handler<B, L>,
): void {
  const path = `/api/auth${route.path}`
  logins.push({ method: 'post', path, summary: route.summary, body: route.body, open: who.open === true, status: 200 })
  app.post(path, async (c) => {
    const judged = await who(c)
    const body = route.body.parse(await bodyOf(c))
    who.requireStill?.(judged)
    return run(c, body, judged)
  })
}
