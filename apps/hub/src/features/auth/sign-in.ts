import type { BrowserKey } from '@roundhouse/hub-client'
import { pageKeys } from '../../live/page-prover'
import { authPost, type Refused } from './auth-post'
import { newKey } from './new-key'

/** The state of a sign-in with the right password that still needs a code. */
let begun: BrowserKey | null = null

/** `codeNeeded`: the password was right, and a code is needed too. */
export async function signIn(email: string, password: string): Promise<Refused | 'in' | 'codeNeeded'> {
  const key = await newKey()
  if ('code' in key) return key
  const answer = await authPost('/sign-in/email', { email, password }, key)
  if ('refused' in answer) return answer.refused
  begun = answer.ok.codeNeeded ? key : null
  if (begun) return 'codeNeeded'
  await pageKeys.setCurrent(key)
  return 'in'
}

/** Six digits of the authenticator, or a backup code. `null` on success. */
export async function showCode(code: string): Promise<Refused | null> {
  if (!begun) return { code: 'AUTH_REQUIRED', message: 'Sign in with your password first.' }
  const answer = await authPost('/second-step', { code }, begun)
  if (!('refused' in answer)) {
    await pageKeys.setCurrent(begun)
    return null
  }
  const { code: refusal } = answer.refused
  return refusal === 'INVALID_ARGUMENT'
    ? { code: refusal, message: 'Six digits, or one of your backup codes.' }
    : answer.refused
}

/** Ends every other login. `null` on success; otherwise the message for the person. */
export async function changePassword(currentPassword: string, newPassword: string): Promise<Refused | null> {
  const answer = await authPost('/change-password', { currentPassword, newPassword, revokeOtherSessions: true })
  return 'refused' in answer ? answer.refused : null
}
