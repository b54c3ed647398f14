/**
 * The login routes of better-auth that people use, and no other: what its plugins bring along (sign-up, impersonation,
 * links by mail, answers that hold a session's token) is not there. Bodies are JSON that says so, which no form of another site
 * can send.
 */
import type { OpenAPIHono } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { z } from 'zod'
import { deviceOf } from './endpoint'
import { bodyOf, endFormer, type LoginDeps, loginOf, withBody } from './login-edge'
import { createWrongLogins, type WrongLogins } from './wrong-logins'

const Credentials = z.object({ email: z.string().max(320), password: z.string().max(1_000) })

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
