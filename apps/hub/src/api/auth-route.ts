/** One route under `/api/auth`: POST alone, JSON that says so, and listed in the document like every other route. */
import type { OpenAPIHono } from '@hono/zod-openapi'
import { CodedError } from '@roundhouse/backend-types'
import type { Context } from 'hono'
import type { z } from 'zod'
import type { Login } from '../auth/authenticate'
import { shownBy } from './endpoint'
import { type Beginner, beginner, bodyOf, type LoginDeps, withAddress } from './login-edge'

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
  app: OpenAPIHono,
  route: AuthRoute<B>,
  who: Who<L>,
  run: Handler<B, L>,
): void {
  describe(app, route, who.open ? [] : [{ login: [] }])
  app.post(`/api/auth${route.path}`, async (c) => {
    const judged = await who(c)
    const body = route.body.parse(await bodyOf(c))
    who.requireStill?.(judged)
    return run(c, body, judged)
  })
}

function describe(
  app: OpenAPIHono,
  { path, summary, body }: AuthRoute<z.ZodType>,
  security: Array<{ login: [] }>,
): void {
  app.openAPIRegistry.registerPath({
    method: 'post',
    path: `/api/auth${path}`,
    summary,
    tags: ['login'],
    security,
    request: { body: { required: true, content: { 'application/json': { schema: body } } } },
    responses: {
      200: { description: 'Done' },
      401: { description: 'AUTH_REQUIRED, AUTH_FAILED, KEY_REQUIRED, PROOF_STALE' },
      429: { description: 'RATE_LIMITED' },
    },
  })
}
