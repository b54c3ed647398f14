'use client'
import type { InboxAsk } from '@roundhouse/backend-types'
import { useEffect, useRef, useState } from 'react'
import { useHub } from '../../live/hub-provider'
import { useAnnounce } from '../../ui/announcer'
import { Button } from '../../ui/forms/button'
import { CopyButton } from '../../ui/forms/copy-button'
import { PlainText } from '../../ui/text/plain-text'
import { keyOf, whatBecame } from './answer'
import { answeredHere, unsent } from './use-answer'

interface Gone {
  key: string
  text: string
  /** What the person wrote and did not send. */
  words: string
}

const MOST = 3

/** Tells, for each ask that ended without an answer from this page, who answered it and how, until the person dismisses it. */
export function GoneAsks({ asks }: { asks: readonly InboxAsk[] }) {
  const { rest } = useHub()
  const announce = useAnnounce()
  const shown = useRef(asks)
  const [gone, setGone] = useState<Gone[]>([])
  useEffect(() => {
    const here = new Set(asks.map(keyOf))
    const left = shown.current.filter((entry) => !here.has(keyOf(entry)) && !answeredHere.has(keyOf(entry)))
    shown.current = asks
    for (const entry of left) {
      const key = keyOf(entry)
      const words = unsent.get(key) ?? ''
      unsent.delete(key)
      rest
        .call('getAsk', { id: { peerId: entry.peerId, requestId: entry.ask.requestId } })
        .then((view) => {
          // One that is open again is in the list again.
          if (view.state === 'open') return
          const text = whatBecame(entry, view)
          setGone((all) => [...all.filter((one) => one.key !== key), { key, text, words }].slice(-MOST))
          announce(text, 'polite')
        })
        .catch(() => {
          // Its peer was deleted, or is not this person's to see any more.
        })
    }
  }, [asks, rest, announce])
  return gone.map(({ key, text, words }) => (
    <div
      key={key}
      data-testid="gone-ask"
      className="mb-3 flex flex-wrap items-center gap-2 rounded-lg border border-line bg-surface px-3 py-2 text-sm"
    >
      <p className="min-w-0 flex-1 basis-56 [overflow-wrap:anywhere]">
        <PlainText>{text}</PlainText>
        {words ? <span className="block text-ink-2 text-xs">Your words were not sent. You can copy them.</span> : null}
      </p>
      {words ? <CopyButton text={words} label="Copy my words" /> : null}
      <Button size="sm" look="plain" onClick={() => setGone((all) => all.filter((one) => one.key !== key))}>
        Dismiss
      </Button>
    </div>
  ))
}
