/** Sign-in by password, sign-out, and password change. */
import { CodedError } from '@roundhouse/backend-types'
import { provenBy } from '../limits/proven-by'
import { createWrongLogins, type WrongLogins } from '../limits/wrong-logins'
import { countTry, type LoginDeps } from './login-edge'
import type { LoginCall, LoginHandlers } from './mount-logins'

/** `codes`: wrong ones of any person, shared with the account's own routes. */
export function passwordLogins(
  deps: LoginDeps,
  codes: WrongLogins,
): LoginHandlers<'/sign-in/email' | '/sign-out' | '/change-password'> {
  const limits = createWrongLogins()
  const { logins } = deps.core
  return {
    '/sign-in/email': (call) => signIn(call, deps, limits),
    '/sign-out': async ({ who: login }) => {
      if (login) await logins.out(login)
      return { ok: true }
    },
    '/change-password': async ({ body, who: login }) => {
      await provenBy(codes, login, () => logins.changePassword(login, body))
      return { ok: true }
    },
  }
}

async function signIn(
  { body: credentials, who: { arrival, known } }: LoginCall<'/sign-in/email'>,
  deps: LoginDeps,
  limits: WrongLogins,
): Promise<{ ok: true; codeNeeded: boolean }> {
  const account = credentials.email.trim().toLowerCase()
  const { logins } = deps.core
  const { address, device } = arrival
  const who = { action: 'login.begin', email: account, address, device } as const
  const attempt = { account, address, known: known?.email === account ? known.keyId : undefined }
  await countTry(deps, limits, attempt, who)
  const outcome = await logins.byPassword(arrival, credentials).catch((unjudged: unknown) => {
    limits.giveBack(attempt)
    throw unjudged
  })
  if (outcome === 'in' || outcome === 'codeNeeded') limits.giveBack(attempt)
  if (outcome === 'wrong' || outcome === 'disabled') {
    await logins.refused(who, outcome)
    throw new CodedError('AUTH_FAILED', 'The e-mail address or the password is wrong.')
  }
  return { ok: true, codeNeeded: outcome === 'codeNeeded' }
}
