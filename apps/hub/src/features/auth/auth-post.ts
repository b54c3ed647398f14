/** Calls a login route. A refusal has a message for the person. `newKey`: the key that a sign-in begins with. */
import type { LoginAnswer, LoginBody, LoginPath } from '@roundhouse/backend-types'
import type { BrowserKey } from '@roundhouse/hub-client'
import { pageProver } from '../../live/page-prover'

export interface Refused {
  code: string
  message: string
}

export async function authPost<P extends LoginPath>(
  path: P,
  body: LoginBody<P>,
  newKey?: BrowserKey,
): Promise<{ ok: LoginAnswer<P> } | { refused: Refused }> {
  try {
    const response = await pageProver().send(`/api/auth${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      ...(newKey ? { newKey } : {}),
    })
    const json = (await response.json()) as LoginAnswer<P> & { error?: Refused }
    if (response.ok) return { ok: json }
    if (response.status === 429) return refused('RATE_LIMITED', tooMany(response.headers.get('retry-after')))
    const { code = 'INTERNAL', message = 'The hub did not accept this.' } = json.error ?? {}
    return refused(code, message)
  } catch {
    return refused('STORAGE_UNAVAILABLE', 'The hub is not responding.')
  }
}

/** Other errors, such as a part of the page that does not load, end the attempt like a refusal. */
export const orRefused = <T>(work: Promise<T>): Promise<T | Refused> =>
  work.catch(() => ({ code: 'INTERNAL', message: 'This page could not do that. Reload it and try again.' }))

const refused = (code: string, message: string) => ({ refused: { code, message } })

/** `retryAfter`: the header, in seconds. */
function tooMany(retryAfter: string | null): string {
  const minutes = Math.ceil(Number(retryAfter ?? 0) / 60)
  return `Too many attempts. Wait ${minutes > 1 ? `${minutes} minutes` : 'a minute'} and try again.`
}
