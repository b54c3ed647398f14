import type { OwnProof } from '@roundhouse/backend-types'
import { authPost, type Refused } from './auth-post'

/**
 * Leaves for the identity provider, to sign in (`next`: where to go afterwards) or to link the account (the person's proof). Resolves
 * only to what to tell the person if that cannot be: otherwise the browser is on its way, and this page is over.
 */
export async function goToProvider(way: { next: string } | OwnProof): Promise<Refused> {
  const answer = await authPost<{ url: string }>('next' in way ? '/sign-in/social' : '/link-social', way)
  if ('refused' in answer) return answer.refused
  location.assign(answer.ok.url)
  return new Promise(() => {})
}
