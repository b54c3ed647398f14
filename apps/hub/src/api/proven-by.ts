/** Wrong passwords and codes of somebody who is signed in count like those at the door: nobody guesses on from an open browser. */
import { CodedError } from '@roundhouse/backend-types'
import type { Actor } from '../core'
import type { WrongLogins } from './wrong-logins'

/** Counted when it begins, given back unless it was wrong. */
export async function provenBy<T>(
  limits: WrongLogins,
  { userId, address = '' }: Actor,
  work: () => Promise<T>,
): Promise<T> {
  limits.count(userId, address)
  let wrong = false
  try {
    return await work()
  } catch (refusal) {
    wrong = refusal instanceof CodedError && refusal.code === 'AUTH_FAILED'
    throw refusal
  } finally {
    if (!wrong) limits.giveBack(userId, address)
  }
}
