/**
 * The second half of a sign-in: a code after the password, shown with the key that showed the password. Wrong codes are counted
 * before they are judged, five for a person and twenty for an address in 15 minutes; ten in a row lock a person's codes for
 * 15 minutes, restarts of the hub included.
 */
import { CodedError, proofHeaders, SecondCode } from '@roundhouse/backend-types'
import type { Context } from 'hono'
import { z } from 'zod'
import type { WrongLogins } from '../limits/wrong-logins'
import { authRoute, beginning, type LoginRouter, type Who } from './auth-route'
import { type Beginner, countTry, type LoginDeps } from './login-edge'

interface HalfDone extends Beginner {
  userId: string
  email: string
}

const LOCKED_SECONDS = 900

export function mountSecondStep(router: LoginRouter, deps: LoginDeps, codes: WrongLogins): void {
  const summary = 'Show the code that is asked after the password'
  const route = { path: '/second-step', summary, body: z.object({ code: SecondCode }) }
  const begun = beginning(deps)
  const owing: Who<HalfDone> = async (c) => {
    if (!c.req.header(proofHeaders.newKey)) throw new CodedError('AUTH_REQUIRED', 'Sign in with your password first.')
    const who = await begun(c)
    const half = deps.core.logins.owing(who.arrival.key.keyId)
    if (!half) throw new CodedError('AUTH_REQUIRED', 'Sign in with your password first.')
    return { ...who, ...half }
  }
  authRoute(router, route, owing, (c, { code }, half) => secondStep(c, deps, codes, code, half))
}

async function secondStep(
  c: Context,
  deps: LoginDeps,
  codes: WrongLogins,
  code: string,
  { arrival, known, userId, email }: HalfDone,
): Promise<Response> {
  const { logins } = deps.core
  const { address, device } = arrival
  const by = /^\d{6}$/.test(code) ? 'totp' : 'backup code'
  const who = { action: 'login.second_step', email, by, address, device } as const
  const attempt = { account: userId, address, known: known?.userId === userId ? known.keyId : undefined }
  await countTry(deps, codes, attempt, who)
  const outcome = await logins.byCode(arrival, code)
  if (outcome !== 'in') {
    await logins.refused(who, outcome.why)
    throw refusalOf(outcome.why)
  }
  codes.giveBack(attempt)
  return c.json({ ok: true })
}

function refusalOf(why: string): CodedError {
  if (why === 'locked') return new CodedError('RATE_LIMITED', undefined, { retryAfterSeconds: LOCKED_SECONDS })
  if (why === 'gone') return new CodedError('AUTH_REQUIRED', 'Sign in with your password first.')
  return new CodedError('AUTH_FAILED', 'That code is wrong or was already used.')
}
