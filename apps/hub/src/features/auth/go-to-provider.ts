import type { OwnProof } from '@roundhouse/backend-types'
import { pageKeys } from '../../live/page-prover'
import { authPost, type Refused } from './auth-post'
import { newKey } from './new-key'

/**
 * Leaves for the identity provider, to sign in (`next`: where to go afterwards) or to link the account (the person's proof). Resolves
 * only to what to tell the person if that cannot be: otherwise the browser is on its way, and this page is over.
 */
export async function goToProvider(way: { next: string } | OwnProof): Promise<Refused> {
  const key = 'next' in way ? await newKey() : undefined
  if (key && 'code' in key) return key
  const answer = await authPost(key ? '/sign-in/social' : '/link-social', way, key)
  if ('refused' in answer) return answer.refused
  const state = new URL(answer.ok.url).searchParams.get('state')
  if (key) await pageKeys.setPending(`provider ${state}`, key)
  location.assign(answer.ok.url)
  return new Promise(() => {})
}
