/** One route under `/api/auth`: POST alone, JSON that says so, and listed in the document like every other route. */
import type { OpenAPIHono } from '@hono/zod-openapi'
import { CodedError } from '@roundhouse/backend-types'
import type { Context } from 'hono'
import type { z } from 'zod'
import type { Login } from '../auth/authenticate'
import { shownBy } from './endpoint'
import { bodyOf, type LoginDeps, loginOf } from './login-edge'

interface AuthRoute<B extends z.ZodType> {
  /** Under `/api/auth`. */
  path: string
  summary: string
  body: B
}

/** Who comes, judged before anything is read. Throws `AUTH_REQUIRED` where that is nobody. */
type Who<L> = (c: Context) => Promise<L>

type Handler<B extends z.ZodType, L> = (c: Context, body: z.output<B>, login: L) => Promise<Response>

/** For whoever comes to the door. */
export const anybody: Who<null> = async () => null

/** For whoever is signed in. Whoever shows a token is judged by it alone, and no token does that. */
export const signedIn =
  (deps: LoginDeps): Who<Login> =>
  async (c) => {
    const shown = shownBy(c)
    const login = shown.authorization === undefined ? await loginOf(c, deps) : await deps.authenticate(shown)
    if (!login) throw new CodedError('AUTH_REQUIRED')
    if (login.program) throw new CodedError('FORBIDDEN', 'Only the person does that, signed in.')
    return login
  }

export function authRoute<B extends z.ZodType, L>(
  app: OpenAPIHono,
  route: AuthRoute<B>,
  who: Who<L>,
  run: Handler<B, L>,
): void {
  describe(app, route, (who as unknown) === anybody ? [] : [{ login: [] }])
  app.post(`/api/auth${route.path}`, async (c) => {
    const login = await who(c)
    return run(c, route.body.parse(await bodyOf(c)), login)
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
      401: { description: 'AUTH_REQUIRED, AUTH_FAILED' },
      429: { description: 'RATE_LIMITED' },
    },
  })
}

/** The library's answer to the page: its cookies, and nothing that it tells beside. */
export function withCookies(c: Context, answer: Response, body: object = { ok: true }): Response {
  for (const line of answer.headers.getSetCookie()) c.header('set-cookie', line, { append: true })
  return c.json(body)
}

/** What the browser sent, without a login: whoever is at the door is nobody yet, whatever else they carry. */
export function headersAtTheDoor(c: Context): Headers {
  const headers = new Headers(c.req.raw.headers)
  const kept = (headers.get('cookie') ?? '')
    .split(/; */)
    .filter((pair) => !/session_(token|data)/.test(pair.split('=')[0] ?? ''))
  headers.set('cookie', kept.join('; '))
  return headers
}
