'use client'
import { type SessionSummary, toCodedError } from '@roundhouse/backend-types'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useHub } from '../../live/hub-provider'
import { useMay } from '../../live/use-me'
import { Button } from '../../ui/forms/button'
import { Confirm } from '../../ui/overlays/late-confirm'

/** Ends a session and everything that it started, after one more question. */
export function StopTree({ session }: { session: SessionSummary }) {
  const hub = useHub()
  const queries = useQueryClient()
  const may = useMay('session.control')
  const [asked, setAsked] = useState(false)
  const stop = useMutation({
    mutationFn: () => hub.rest.stopTree(session.sessionId),
    onSuccess: () => setAsked(false),
    onSettled: () => queries.invalidateQueries({ queryKey: ['sessions'] }),
  })
  if (!may) return null
  if (session.treeStopped) return <span className="shrink-0 text-ink-3 text-xs">Tree stopped</span>
  return (
    <>
      <Button size="sm" look="danger" onClick={() => setAsked(true)}>
        Stop tree
      </Button>
      <Confirm
        open={asked}
        onClose={() => setAsked(false)}
        title={`Stop ${session.title} and all that it started?`}
        action="Stop tree"
        onConfirm={() => stop.mutate()}
        busy={stop.isPending}
        error={stop.error ? toCodedError(stop.error).toBody() : null}
      >
        All sessions of the tree end, and none of them starts another one. Their transcripts are kept.
      </Confirm>
    </>
  )
}
