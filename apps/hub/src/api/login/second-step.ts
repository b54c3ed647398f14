/**
 * The second half of a sign-in: a code after the password, sent with the same key. Wrong codes are counted before they are
 * checked, five for a person and twenty for an address in 15 minutes. Ten in a row lock a person's codes for 15 minutes,
 * across restarts of the hub.
 */
import { CodedError } from '@roundhouse/backend-types'
import type { WrongLogins } from '../limits/wrong-logins'
import { countTry, type LoginDeps } from './login-edge'
import type { LoginCall, LoginHandlers } from './mount-logins'

const LOCKED_SECONDS = 900

export function secondStepLogins(deps: LoginDeps, codes: WrongLogins): LoginHandlers<'/second-step'> {
  return { '/second-step': (call) => secondStep(call, deps, codes) }
}

async function secondStep(
  { body: { code }, who: { arrival, known, userId, email } }: LoginCall<'/second-step'>,
  deps: LoginDeps,
  codes: WrongLogins,
): Promise<{ ok: true }> {
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
  return { ok: true }
}

function refusalOf(why: string): CodedError {
  if (why === 'locked') return new CodedError('RATE_LIMITED', undefined, { retryAfterSeconds: LOCKED_SECONDS })
  if (why === 'gone') return new CodedError('AUTH_REQUIRED', 'Sign in with your password first.')
  return new CodedError('AUTH_FAILED', 'That code is wrong or was already used.')
}
