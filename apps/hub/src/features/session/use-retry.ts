'use client'
import type { SessionView } from '@roundhouse/backend-types'
import { useMutation } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useHub } from '../../live/hub-provider'
import { useMay } from '../../live/use-me'
import type { SessionData } from '../../live/use-session'
import type { Retry } from '../transcript/try-again'
import { failedTurn } from './failed-turn'

/** Sends the prompt of the last turn once more, where that failed. */
export function useRetry(view: SessionView | null, events: SessionData['window']['events']): Retry | null {
  const hub = useHub()
  const mayPrompt = useMay('session.prompt', true)
  const failed = useMemo(() => failedTurn(events), [events])
  const { mutate, isPending, isSuccess } = useMutation({
    mutationFn: ({ text, promptId }: { text: string; promptId: string }) =>
      hub.rest.prompt(view?.sessionId ?? '', { text, promptId }, promptId),
  })
  if (!failed || !view || !mayPrompt || view.status.status === 'ended') return null
  const send = () => mutate({ text: failed.prompt, promptId: `p_${crypto.randomUUID().replaceAll('-', '')}` })
  return { seq: failed.seq, busy: isPending || (isSuccess && view.turnId !== undefined), send }
}
