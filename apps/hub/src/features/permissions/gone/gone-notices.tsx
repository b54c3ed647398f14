'use client'
import type { RequestView } from '@roundhouse/backend-types'
import { useEffect, useState } from 'react'
import { late } from '../../../ui/overlays/late'

const Body = late(() => import('./gone-notices-body').then((module) => module.GoneNoticesBody))

/** Notices about questions that ended without an answer from this page. The code loads when the first one ends. */
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
