'use client'
import type { RequestView } from '@roundhouse/backend-types'
import { useEffect, useRef, useState } from 'react'
import { useAnnounce } from '../../../ui/announcer'
import { Button } from '../../../ui/forms/button'
import { CopyButton } from '../../../ui/forms/copy-button'
import { PlainText } from '../../../ui/text/plain-text'
import type { AnswerDraft } from '../decision/answer-draft'
import { decidedHere } from '../decision/decided-here'
import { type GoneRequest, goneRequests } from '../decision/gone-requests'
import { keptDrafts } from '../decision/kept-drafts'

interface GoneNoticesBodyProps {
  /** The requests before the first of them ended. */
  before: readonly RequestView[]
  requests: readonly RequestView[]
}

/** Tells, for each question that ended without an answer from this page, what became of it, until the person dismisses it. */
export function GoneNoticesBody({ before, requests }: GoneNoticesBodyProps) {
  const shown = useRef(before)
  const [gone, setGone] = useState<GoneRequest[]>([])
  const announce = useAnnounce()
  useEffect(() => {
    const draftOf = (requestId: string) => keptDrafts.read<AnswerDraft>(requestId)
    const left = goneRequests({ shown: shown.current, here: decidedHere, draftOf }, requests)
    shown.current = requests
    if (left.length === 0) return
    setGone((before) => [...before, ...left].slice(-3))
    for (const { requestId, text } of left) {
      keptDrafts.drop(requestId)
      announce(text, 'polite')
    }
  }, [requests, announce])
  return gone.map(({ requestId, text, unsent }) => (
    <div
      key={requestId}
      data-testid="gone-request"
      className="flex flex-wrap items-center gap-2 rounded-lg border border-line bg-surface px-3 py-2 text-sm"
    >
      <p className="min-w-0 flex-1 basis-56 [overflow-wrap:anywhere]">
        <PlainText>{text}</PlainText>
        {unsent ? <span className="block text-ink-2 text-xs">Your answer was not sent. You can copy it.</span> : null}
      </p>
      {unsent ? <CopyButton text={unsent} label="Copy my answer" /> : null}
      <Button size="sm" look="plain" onClick={() => setGone((all) => all.filter((one) => one.requestId !== requestId))}>
        Dismiss
      </Button>
    </div>
  ))
}
