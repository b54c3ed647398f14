import type { OwnProof } from '@roundhouse/backend-types'
import { pageKeys } from '../../live/page-prover'
import { authPost, type Refused } from './auth-post'
import { newKey } from './new-key'

/**
 * Redirects to the identity provider, to sign in (`next`: the page to open afterwards) or to link the account (the person's
 * proof). Resolves only with a message for the person if that is not possible; otherwise the browser leaves this page.
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
