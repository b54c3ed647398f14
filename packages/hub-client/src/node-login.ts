/**
 * A person's login for programs that run outside a browser (tests, benchmarks, scripts): signs in with e-mail and
 * password, keeps the key in memory, and proves it as a page would.
 */
import { CodedError } from '@roundhouse/backend-types'
import { makeBrowserKey } from './browser-key'
import { MemoryKeys } from './key-store'
import { Prover } from './prover'

export interface NodeLogin {
  baseUrl: string
  /** What a page of this origin sends with every request. */
  headers: () => Record<string, string>
  prover: Prover
}

export async function signIn(baseUrl: string, email: string, password: string): Promise<NodeLogin> {
  const { origin } = new URL(baseUrl)
  const keys = new MemoryKeys()
  const newKey = await makeBrowserKey()
  const begun = new Prover({ keys })
  const response = await begun.send(`${baseUrl}/api/auth/sign-in/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin },
    body: JSON.stringify({ email, password }),
    newKey,
  })
  if (!response.ok) throw new CodedError('AUTH_FAILED', `Sign-in was refused with status ${response.status}.`)
  const { codeNeeded } = (await response.json()) as { codeNeeded?: boolean }
  if (codeNeeded)
    throw new CodedError('AUTH_FAILED', 'This person shows a code after the password. Use a token instead.')
  await keys.setCurrent(newKey)
  return { baseUrl, headers: () => ({ origin }), prover: new Prover({ keys }) }
}
