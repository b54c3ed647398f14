'use client'
import type { OidcAnswer } from '@roundhouse/backend-types'
import { useEffect, useRef } from 'react'
import { pageKeys } from '../../live/page-prover'
import { authPost } from './auth-post'
import { safeNext } from './safe-next'

/**
 * The redirect back from the identity provider: its answer came after a `#`, and the page submits it with the key that
 * started the sign-in.
 */
export function ProviderReturn() {
  const begun = useRef(false)
  useEffect(() => {
    if (begun.current) return
    begun.current = true
    const answer = Object.fromEntries(new URLSearchParams(location.hash.slice(1))) as OidcAnswer
    history.replaceState(null, '', location.pathname)
    void finish(answer).then((to) => location.replace(safeNext(to)))
  }, [])
  return <p className="text-ink-2 text-sm">One moment…</p>
}

const stale = '/login?refused=stale'

/**
 * Resolves to the page to open. A sign-in has a key that waits for exactly this answer; otherwise the redirect links an
 * account.
 */
async function finish(answer: OidcAnswer): Promise<string> {
  const key = await pageKeys.pending(`provider ${answer.state ?? ''}`).catch(() => null)
  if (!key) {
    const linked = await authPost('/link-back', answer)
    return 'ok' in linked ? linked.ok.to : stale
  }
  const came = await authPost('/sign-in/back', answer, key)
  if (!('ok' in came)) return stale
  if (came.ok.signedIn) await pageKeys.setCurrent(key)
  return came.ok.to
}
