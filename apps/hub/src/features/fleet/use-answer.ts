'use client'
import { fromErrorBody } from '@roundhouse/backend-types'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { useHub } from '../../live/hub-provider'
import { type Answer, answerMessage } from './answer'

/** Sends an answer. A repeat of the same answer after an error has the same id, so the hub takes it once. */
export function useAnswer(peerId: string, requestId: string) {
  const hub = useHub()
  const queries = useQueryClient()
  const last = useRef({ answer: '', id: '' })
  return useMutation({
    mutationFn: async (answer: Answer) => {
      const written = JSON.stringify(answer)
      if (last.current.answer !== written) last.current = { answer: written, id: crypto.randomUUID() }
      const { results } = await hub.rest.publish([answerMessage(peerId, requestId, answer, last.current.id)])
      const [result] = results
      if (result && !result.ok) throw fromErrorBody(result.error)
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['peers'] }),
  })
}
