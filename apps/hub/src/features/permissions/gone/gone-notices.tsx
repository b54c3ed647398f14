'use client'
import type { RequestView } from '@roundhouse/backend-types'
import { useEffect, useState } from 'react'
import { late } from '../../../ui/overlays/late'

const Body = late(() => import('./gone-notices-body').then((module) => module.GoneNoticesBody))

/** What became of questions that left without this page's answer. Its code is fetched once one has left. */
export function GoneNotices({ requests }: { requests: readonly RequestView[] }) {
  const [seen, setSeen] = useState(requests)
  const [before, setBefore] = useState<readonly RequestView[]>()
  useEffect(() => {
    if (before || seen === requests) return
    const ids = new Set(requests.map(({ ask }) => ask.requestId))
    if (seen.every(({ ask }) => ids.has(ask.requestId))) setSeen(requests)
    else setBefore(seen)
  }, [before, seen, requests])
  return before ? <Body before={before} requests={requests} /> : null
}
