/**
 * Wrong passwords and codes of somebody who is signed in: five for each login, and nobody guesses on from an open browser. They
 * are counted apart from those at the door, so that no stranger keeps the person from their own account.
 */
import { CodedError } from '@roundhouse/backend-types'
import type { Signed } from '../../core'
import type { WrongLogins } from './wrong-logins'

/** Counted when it begins, given back unless it was wrong. */
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
