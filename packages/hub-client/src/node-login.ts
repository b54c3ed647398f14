/**
 * A person's login for programs that run outside a browser (tests, benchmarks, scripts): signs in with e-mail and
 * password, keeps the cookie, and gives the headers that a same-origin page would send.
 */
import { CodedError } from '@roundhouse/backend-types'

export interface NodeLogin {
  baseUrl: string
  headers: () => Record<string, string>
}

export async function signIn(baseUrl: string, email: string, password: string): Promise<NodeLogin> {
  const origin = new URL(baseUrl).origin
  const response = await fetch(`${baseUrl}/api/auth/sign-in/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin },
    body: JSON.stringify({ email, password }),
  })
  if (!response.ok) throw new CodedError('AUTH_FAILED', `Sign-in was refused with status ${response.status}.`)
  const { codeNeeded } = (await response.json()) as { codeNeeded?: boolean }
  if (codeNeeded)
    throw new CodedError('AUTH_FAILED', 'This person shows a code after the password. Use a token instead.')
  const cookie = response.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
  return { baseUrl, headers: () => ({ cookie, origin }) }
}
