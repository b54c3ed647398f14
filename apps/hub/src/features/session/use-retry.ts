'use client'
import type { PromptRequest, SessionView } from '@roundhouse/backend-types'
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
    mutationFn: (prompt: PromptRequest) => hub.rest.prompt(view?.sessionId ?? '', prompt, prompt.promptId),
  })
  if (!failed || !view || !mayPrompt || view.status.status === 'ended') return null
  const { prompt: text, imageIds } = failed
  const images = imageIds.length > 0 ? { images: imageIds } : {}
  const send = () => mutate({ text, ...images, promptId: `p_${crypto.randomUUID().replaceAll('-', '')}` })
  return { seq: failed.seq, busy: isPending || (isSuccess && view.turnId !== undefined), send }
}
