import { wasSignedIn } from '../../live/was-signed-in'
import { authPost, type Refused } from './auth-post'

/** `codeNeeded`: the password was right, and a code is asked after it. */
export async function signIn(email: string, password: string): Promise<Refused | 'in' | 'codeNeeded'> {
  const answer = await authPost<{ codeNeeded: boolean }>('/sign-in/email', { email, password })
  if ('refused' in answer) return answer.refused
  return answer.ok.codeNeeded ? 'codeNeeded' : 'in'
}

/** Six digits of the authenticator, or a backup code. `null` on success. */
export async function showCode(code: string): Promise<Refused | null> {
  const answer = await authPost('/second-step', { code })
  if (!('refused' in answer)) return null
  const { code: refusal } = answer.refused
  return refusal === 'INVALID_ARGUMENT'
    ? { code: refusal, message: 'Six digits, or one of your backup codes.' }
    : answer.refused
}

export async function signOut(): Promise<void> {
  wasSignedIn.take()
  await authPost('/sign-out', {})
  location.assign('/login')
}

/** Ends every other login. `null` on success; otherwise what to tell the person. */
export async function changePassword(currentPassword: string, newPassword: string): Promise<Refused | null> {
  const answer = await authPost('/change-password', { currentPassword, newPassword, revokeOtherSessions: true })
  return 'refused' in answer ? answer.refused : null
}
