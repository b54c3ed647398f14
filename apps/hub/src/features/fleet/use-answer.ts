'use client'
import type { AskAnswerRequest, InboxAsk } from '@roundhouse/backend-types'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { useHub } from '../../live/hub-provider'
import { keyOf } from './answer'

/** Asks that were answered on this page. Any other one that disappears was answered elsewhere, or its program went on. */
export const answeredHere = new Set<string>()
/** What a person wrote and has not sent, by ask. */
export const unsent = new Map<string, string>()

/** Sends an answer. A repeat of the same answer after an error has the same key, so the hub takes it once. */
export function useAnswer(entry: InboxAsk) {
  const hub = useHub()
  const queries = useQueryClient()
  const last = useRef({ request: '', key: '' })
  return useMutation({
    mutationFn: (request: AskAnswerRequest) => {
      const written = JSON.stringify(request)
      if (last.current.request !== written) last.current = { request: written, key: crypto.randomUUID() }
      const id = { peerId: entry.peerId, requestId: entry.ask.requestId }
      return hub.rest.call('answerAsk', { id, body: request, key: last.current.key })
    },
    onSuccess: () => {
      answeredHere.add(keyOf(entry))
      unsent.delete(keyOf(entry))
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['peers'] }),
  })
}
