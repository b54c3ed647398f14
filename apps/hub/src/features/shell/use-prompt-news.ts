'use client'
import type { Inbox } from '@roundhouse/backend-types'
import { useEffect, useRef } from 'react'
import { useBackendNames } from '../../live/backend-names'
import { useAnnounce } from '../../ui/announcer'
import { wordsOfAsk } from '../transcript/changes/tool-words'

/** Announces each permission request once, at once. Requests that waited already when the page opened are only counted. */
export function usePromptNews(inbox: Inbox | null): void {
  const announce = useAnnounce()
  const nameBackend = useBackendNames()
  const known = useRef<Set<string> | null>(null)
  useEffect(() => {
    if (!inbox) return
    const before = known.current
    known.current = new Set(inbox.requests.map(({ ask }) => ask.requestId))
    if (!before) {
      const count = inbox.requests.length
      if (count > 0) announce(count === 1 ? 'One request waits for you.' : `${count} requests wait for you.`, 'polite')
      return
    }
    const fresh = inbox.requests.filter(({ ask }) => !before.has(ask.requestId))
    const said = fresh.map(({ ask, backend, title }) => {
      const { wish, object } = wordsOfAsk(ask)
      return `${nameBackend(backend)} asks to ${wish} in ${title}: ${object}`
    })
    if (said.length > 0) announce(said.join('\n'), 'assertive')
  }, [inbox, announce, nameBackend])
}
