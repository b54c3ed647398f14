'use client'
import { type SessionView, toCodedError } from '@roundhouse/backend-types'
import { useMutation } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useHub } from '../../../live/hub-provider'
import { useMay } from '../../../live/use-me'
import type { SessionData } from '../../../live/use-session'
import type { Retry } from '../../transcript/cards/try-again'
import { type FailedTurn, failedTurn } from './failed-turn'

/** If the middle of a prompt is only on the machine, it is read from there first; this is rare. */
const readers = () => import('../../transcript/text/read-text')

/** Sends the prompt of a failed last turn again. */
export function useRetry(view: SessionView | null, events: SessionData['window']['events']): Retry | null {
  const hub = useHub()
  const mayPrompt = useMay('session.prompt', true)
  const failed = useMemo(() => failedTurn(events), [events])
  const { mutate, isPending, isSuccess, error } = useMutation({
    mutationFn: async ({ prompt, imageIds }: FailedTurn) => {
      const sessionId = view?.sessionId ?? ''
      const text = typeof prompt === 'string' ? prompt : await (await readers()).readText(hub.rest, sessionId, prompt)
      const images = imageIds.length > 0 ? { images: imageIds } : {}
      const promptId = `p_${crypto.randomUUID().replaceAll('-', '')}`
      return hub.rest.prompt(sessionId, { text, ...images, promptId }, promptId)
    },
  })
  if (!failed || !view || !mayPrompt || view.status.status === 'ended') return null
  const send = () => mutate(failed)
  return {
    seq: failed.seq,
    busy: isPending || (isSuccess && view.turnId !== undefined),
    send,
    error: error && toCodedError(error).toBody(),
  }
}
