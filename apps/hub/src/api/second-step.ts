/**
 * The second half of a sign-in: a code after the password. Its cookie says of whom a code is expected and opens nothing. Wrong codes
 * are counted before they are judged, five for a person and twenty for an address in 15 minutes; a code of the authenticator is spent
 * before the library sees it, so of any number that show it at once one comes in.
 */
import type { OpenAPIHono } from '@hono/zod-openapi'
import { CodedError, SecondCode } from '@roundhouse/backend-types'
import type { Context } from 'hono'
import { z } from 'zod'
import { asKept } from '../auth/factor-keeper'
import { authRoute, headersAtTheDoor, withCookies } from './auth-route'
import { callerOf, countTry, endFormer, type LoginDeps } from './login-edge'
import type { WrongLogins } from './wrong-logins'

/** Six blanks are no code: the library counts the attempt and refuses. */
const NO_CODE = '      '

interface HalfDone {
  userId: string
  email: string
}

export function mountSecondStep(app: OpenAPIHono, deps: LoginDeps, codes: WrongLogins): void {
  const summary = 'Show the code that is asked after the password'
  const route = { path: '/second-step', summary, body: z.object({ code: SecondCode }) }
  const owing = async (c: Context): Promise<HalfDone> => {
    const half = await deps.auth.api.halfDone({ headers: headersAtTheDoor(c) })
    if (!half) throw new CodedError('AUTH_REQUIRED', 'Sign in with your password first.')
    return half
  }
  authRoute(app, route, owing, (c, { code }, half) => secondStep(c, deps, codes, code, half))
}

async function secondStep(
  c: Context,
  deps: LoginDeps,
  codes: WrongLogins,
  code: string,
  half: HalfDone,
): Promise<Response> {
  const { core } = deps
  const headers = headersAtTheDoor(c)
  const by = /^\d{6}$/.test(code) ? 'totp' : 'backup code'
  const who = { action: 'login.second_step', email: half.email, by, ...callerOf(c, deps) } as const
  await countTry(deps, codes, half.userId, who)
  const { answer, why } = await (by === 'totp'
    ? showTotp(deps, headers, half.userId, code)
    : showBackup(deps, headers, code))
  if (!answer.ok) {
    await core.logins.refused(who, why)
    throw refusalOf(answer)
  }
  codes.giveBack(half.userId, who.address)
  await core.logins.came({ ...who, action: 'login.begin' })
  await endFormer(c, deps)
  return withCookies(c, answer)
}

async function showTotp({ auth, core }: LoginDeps, headers: Headers, userId: string, code: string) {
  const verdict = await core.factors.spendAtDoor(userId, code)
  const body = { code: verdict === 'fresh' ? code : NO_CODE }
  return { answer: await auth.api.verifyTOTP({ body, headers, asResponse: true }), why: `${verdict} code` }
}

async function showBackup({ auth }: LoginDeps, headers: Headers, code: string) {
  const body = { code: asKept(code) }
  return { answer: await auth.api.verifyBackupCode({ body, headers, asResponse: true }), why: 'wrong code' }
}

/** The library locks a person's codes for 15 minutes after ten wrong ones, restarts of the hub included. */
function refusalOf(answer: Response): CodedError {
  if (answer.status === 429) return new CodedError('RATE_LIMITED', undefined, { retryAfterSeconds: 900 })
  return new CodedError('AUTH_FAILED', 'That code is not right, or was used before.')
}
