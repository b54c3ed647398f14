import { tooMany } from './too-many'

/** Signs in with e-mail and password. `null` on success; otherwise what to tell the person. */
export async function signIn(email: string, password: string): Promise<{ code: string; message: string } | null> {
  try {
    const response = await fetch('/api/auth/sign-in/email', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, password }),
    })
    if (response.ok) return null
    if (response.status === 429) return { code: 'RATE_LIMITED', message: tooMany(response.headers.get('retry-after')) }
    return { code: 'AUTH_FAILED', message: 'E-mail or password is wrong.' }
  } catch {
    return { code: 'STORAGE_UNAVAILABLE', message: 'The hub does not answer.' }
  }
}

export async function signOut(): Promise<void> {
  await fetch('/api/auth/sign-out', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })
  location.assign('/login')
}

/** Ends every other login. `null` on success; otherwise what to tell the person. */
export async function changePassword(
  currentPassword: string,
  newPassword: string,
): Promise<{ code: string; message: string } | null> {
  try {
    const response = await fetch('/api/auth/change-password', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ currentPassword, newPassword, revokeOtherSessions: true }),
    })
    if (response.ok) return null
    if (response.status === 429) return { code: 'RATE_LIMITED', message: tooMany(response.headers.get('retry-after')) }
    return { code: 'AUTH_FAILED', message: 'That is not the password you have.' }
  } catch {
    return { code: 'STORAGE_UNAVAILABLE', message: 'The hub does not answer.' }
  }
}
