import type { OwnProof } from '@roundhouse/backend-types'
import { tooMany } from './too-many'

/**
 * Leaves for the identity provider, to sign in (`next`: where to go afterwards) or to link the account (the person's proof). Resolves
 * to what to tell the person if that cannot be; otherwise the browser is on its way.
 */
export async function goToProvider(
  way: { next: string } | OwnProof,
): Promise<{ code: string; message: string } | null> {
  const route = 'next' in way ? 'sign-in/social' : 'link-social'
  try {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(`/api/auth/${route}`, { method: 'POST', headers, body: JSON.stringify(way) })
    if (response.status === 429) return { code: 'RATE_LIMITED', message: tooMany(response.headers.get('retry-after')) }
    const answer = await response.json()
    if (!response.ok) return answer.error
    location.assign(answer.url)
    return null
  } catch {
    return { code: 'STORAGE_UNAVAILABLE', message: 'The hub does not answer.' }
  }
}
