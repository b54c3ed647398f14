'use client'
import type { CutValue } from '@roundhouse/backend-types'
import { useParams } from 'next/navigation'
import { shortBytes } from '../../../ui/text/bytes'
import { CutWhole } from './cut-whole'

interface CutMiddleProps {
  value: CutValue
  /** A person decides about this content. */
  complete?: boolean
  /** Called when all of it is on the page. */
  onShown?: () => void
}

/** The gap between the two ends of cut content: its size, its location, and how to get it. */
export function CutMiddle({ value, complete = false, onShown }: CutMiddleProps) {
  const { sessionId } = useParams<{ sessionId?: string }>()
  const { artifactId, bytes } = value
  const canRead = artifactId !== undefined && sessionId !== undefined
  const where = artifactId === undefined ? 'It was not kept.' : 'The machine has all of it.'
  const todo = canRead ? (complete ? ' Read it before you decide.' : '') : ' Open the session to read it.'
  return (
    <div className="my-1">
      <p className="text-needs text-xs">
        {shortBytes(bytes)} in all; the middle is not shown here. {where}
        {artifactId === undefined ? '' : todo}
      </p>
      {canRead ? (
        <CutWhole
          sessionId={sessionId}
          value={value}
          artifactId={artifactId}
          complete={complete}
          {...(onShown ? { onShown } : {})}
        />
      ) : null}
    </div>
  )
}
