/**
 * Limits wrong passwords and codes of a signed-in person to five per login, so that nobody can guess from an open browser.
 * They are counted separately from attempts at sign-in, so that a stranger cannot lock people out of their own account.
 */
import { CodedError } from '@roundhouse/backend-types'
import type { Signed } from '../../core'
import type { WrongLogins } from './wrong-logins'

/** Counts an attempt when it begins, and removes the count unless the attempt was wrong. */
export async function provenBy<T>(limits: WrongLogins, { actor, loginId }: Signed, work: () => Promise<T>): Promise<T> {
  const attempt = { account: actor.userId, address: actor.address ?? '', known: loginId }
  limits.count(attempt)
  let wrong = false
  try {
    return await work()
  } catch (refusal) {
    wrong = refusal instanceof CodedError && refusal.code === 'AUTH_FAILED'
    throw refusal
  } finally {
    if (!wrong) limits.giveBack(attempt)
  }
}
