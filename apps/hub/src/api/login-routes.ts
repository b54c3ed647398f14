/**
 * The login routes of better-auth that people use, and no other: what its plugins bring along (sign-up, impersonation,
 * links by mail, answers that hold a session's token) is not there. Bodies are JSON that says so, which no form of another site
 * can send. Wrong logins are counted here, before anything is awaited: 200 at once are 200 (T76).
 */
import type { OpenAPIHono } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { z } from 'zod'
import type { Auth } from '../auth/better-auth'
import { AttemptLimit } from './attempt-limit'
import { readBody } from './endpoint'

const SIGN_IN = 'sign-in/email'
const routes = [SIGN_IN, 'sign-out', 'change-password']

const WRONG_PER_ACCOUNT = 5
const WRONG_PER_ADDRESS = 20
const WINDOW_MS = 15 * 60_000

const Credentials = z.object({ email: z.string().max(320), password: z.string().max(1_000) })

interface LoginDeps {
  auth: Pick<Auth, 'api' | 'handler'>
  addressHeader: string
}

export function mountLogin(app: OpenAPIHono, deps: LoginDeps): void {
  const limits = createWrongLogins()
  for (const name of routes) {
    app.post(`/api/auth/${name}`, async (c) => {
      const body = c.req.header('content-length') === '0' ? {} : await readBody(c)
      return name === SIGN_IN ? signIn(c, deps, limits, Credentials.parse(body)) : deps.auth.handler(withBody(c, body))
    })
  }
}

type WrongLogins = ReturnType<typeof createWrongLogins>

/** Counted when it begins and given back unless it was wrong, so that no two can pass on one count. */
function createWrongLogins() {
  const ofAccount = new AttemptLimit(WRONG_PER_ACCOUNT, WINDOW_MS)
  const ofAddress = new AttemptLimit(WRONG_PER_ADDRESS, WINDOW_MS)
  return {
    count(account: string, address: string): void {
      ofAddress.require(address)
      try {
        ofAccount.require(account)
      } catch (refusal) {
        ofAddress.giveBack(address) // nothing was tried
        throw refusal
      }
    },
    giveBack(account: string, address: string): void {
      ofAddress.giveBack(address)
      ofAccount.giveBack(account)
    },
  }
}

async function signIn(
  c: Context,
  { auth, addressHeader }: LoginDeps,
  limits: WrongLogins,
  credentials: z.output<typeof Credentials>,
): Promise<Response> {
  const account = credentials.email.trim().toLowerCase()
  const address = c.req.header(addressHeader) ?? ''
  limits.count(account, address)
  const answer = await auth.handler(withBody(c, credentials))
  if (answer.status === 401) return answer
  limits.giveBack(account, address)
  if (!answer.ok) return answer
  const cookie = c.req.header('cookie')
  // T75: whatever login this browser had before ends here.
  if (cookie) await auth.api.signOut({ headers: new Headers({ cookie }) }).catch(() => {})
  return answer
}

/** Only what was read: nothing that the schema does not know reaches better-auth. */
function withBody(c: Context, body: unknown): Request {
  const headers = new Headers(c.req.raw.headers)
  headers.delete('content-length')
  headers.set('content-type', 'application/json')
  return new Request(c.req.url, { method: c.req.method, headers, body: JSON.stringify(body) })
}
