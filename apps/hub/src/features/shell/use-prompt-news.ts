'use client'
import type { Inbox } from '@roundhouse/backend-types'
import { useEffect, useRef } from 'react'
import { useBackendNames } from '../../live/backend-names'
import { useAnnounce } from '../../ui/announcer'
import { whoAsks } from '../fleet/answer'
import { wordsOfAsk } from '../transcript/changes/tool-words'

/** Announces each permission request and each ask of a program once, at once. Those that waited already when the page opened are only counted. */
export function usePromptNews(inbox: Inbox | null): void {
  const announce = useAnnounce()
  const nameBackend = useBackendNames()
  const known = useRef<Set<string> | null>(null)
  useEffect(() => {
    if (!inbox) return
    const before = known.current
    const { requests, asks } = inbox
    const idOf = ({ peerId, ask }: (typeof asks)[number]) => `${peerId} ${ask.requestId}`
    known.current = new Set([...requests.map(({ ask }) => ask.requestId), ...asks.map(idOf)])
    if (!before) {
      const count = requests.length + asks.length
      if (count > 0) announce(count === 1 ? 'One request waits for you.' : `${count} requests wait for you.`, 'polite')
      return
    }
    const fresh = requests.filter(({ ask }) => !before.has(ask.requestId))
    const said = fresh.map(({ ask, backend, title }) => {
      const { wish, object } = wordsOfAsk(ask)
      return `${nameBackend(backend)} asks to ${wish} in ${title}: ${object}`
    })
    for (const one of asks)
      if (!before.has(idOf(one)))
        said.push(`${whoAsks(one)} ${one.ask.kind === 'BLOCKED' ? 'is blocked' : 'asks you'}: ${one.ask.message}`)
    if (said.length > 0) announce(said.join('\n'), 'assertive')
  }, [inbox, announce, nameBackend])
}
