/**
 * The login routes of better-auth that people use, and no other: what its plugins bring along (sign-up, impersonation,
 * links by mail, answers that hold a session's token) is not there. Bodies are JSON that says so, which no form of another site
 * can send. Wrong logins are counted here, before anything is awaited: 200 at once are 200 (T76).
 */
import type { OpenAPIHono } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { z } from 'zod'
import type { Authenticate, Login } from '../auth/authenticate'
import type { Auth } from '../auth/better-auth'
import type { Core } from '../core'
import { AttemptLimit } from './attempt-limit'
import { deviceOf, readBody } from './endpoint'

const WRONG_PER_ACCOUNT = 5
const WRONG_PER_ADDRESS = 20
const WINDOW_MS = 15 * 60_000

const Credentials = z.object({ email: z.string().max(320), password: z.string().max(1_000) })

interface LoginDeps {
  auth: Pick<Auth, 'api' | 'handler'>
  authenticate: Authenticate
  core: Pick<Core, 'logins'>
  addressHeader: string
}

export function mountLogin(app: OpenAPIHono, deps: LoginDeps): void {
  const limits = createWrongLogins()
  app.post('/api/auth/sign-in/email', async (c) => signIn(c, deps, limits, Credentials.parse(await bodyOf(c))))
  app.post('/api/auth/sign-out', async (c) => {
    const login = await loginOf(c, deps)
    const answer = await deps.auth.handler(withBody(c, await bodyOf(c)))
    if (login && answer.ok) await deps.core.logins.did(login.actor, 'login.end', login.loginId)
    return answer
  })
  app.post('/api/auth/change-password', async (c) => {
    const login = await loginOf(c, deps)
    const answer = await deps.auth.handler(withBody(c, await bodyOf(c)))
    if (login) {
      const { actor } = login
      await deps.core.logins[answer.ok ? 'did' : 'didNot'](actor, 'password.change', actor.userId)
    }
    return answer
  })
}

const bodyOf = (c: Context) => (c.req.header('content-length') === '0' ? {} : readBody(c))

/** Whose cookie the request carries: these routes know no token. */
async function loginOf(c: Context, { authenticate, addressHeader }: LoginDeps): Promise<Login | null> {
  const login = await authenticate({ cookie: c.req.header('cookie') })
  return login && { ...login, actor: { ...login.actor, address: c.req.header(addressHeader) ?? '' } }
}

type WrongLogins = ReturnType<typeof createWrongLogins>

/** Counted when it begins and given back unless it was wrong, so that no two can pass on one count. */
function createWrongLogins() {
  const ofAccount = new AttemptLimit(WRONG_PER_ACCOUNT, WINDOW_MS)
  const ofAddress = new AttemptLimit(WRONG_PER_ADDRESS, WINDOW_MS)
  const told = new AttemptLimit(1, WINDOW_MS)
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
    /** True for the first refusal of an address in the window: nobody fills the audit log from outside. */
    isNews(address: string): boolean {
      try {
        told.require(address)
        return true
      } catch {
        return false
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
  deps: LoginDeps,
  limits: WrongLogins,
  credentials: z.output<typeof Credentials>,
): Promise<Response> {
  const account = credentials.email.trim().toLowerCase()
  const { auth, core, addressHeader } = deps
  const address = c.req.header(addressHeader) ?? ''
  const who = { action: 'login.begin', email: account, address, device: deviceOf(c.req.header('user-agent')) } as const
  try {
    limits.count(account, address)
  } catch (refusal) {
    if (limits.isNews(address)) await core.logins.refused(who, 'too many attempts')
    throw refusal
  }
  const answer = await auth.handler(withBody(c, credentials))
  if (!answer.ok) await core.logins.refused(who, answer.status === 401 ? 'wrong' : `answer ${answer.status}`)
  if (answer.status === 401) return answer
  limits.giveBack(account, address)
  if (!answer.ok) return answer
  await core.logins.came(who)
  await endFormer(c, deps)
  return answer
}

/** T75: whatever login this browser had before ends here. */
async function endFormer(c: Context, deps: LoginDeps): Promise<void> {
  const cookie = c.req.header('cookie')
  if (!cookie) return
  const former = await loginOf(c, deps)
  await deps.auth.api.signOut({ headers: new Headers({ cookie }) }).catch(() => {})
  if (former) await deps.core.logins.did(former.actor, 'login.end', former.loginId)
}

/** Only what was read: nothing that the schema does not know reaches better-auth. */
function withBody(c: Context, body: unknown): Request {
  const headers = new Headers(c.req.raw.headers)
  headers.delete('content-length')
  headers.set('content-type', 'application/json')
  return new Request(c.req.url, { method: c.req.method, headers, body: JSON.stringify(body) })
}
