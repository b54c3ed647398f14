'use client'
/** What every kind of request shares on the page: its state, who may answer, when its buttons act, and the answer itself. */
import type { DecisionRequest, RequestView } from '@roundhouse/backend-types'
import { useMutation } from '@tanstack/react-query'
import { type RefObject, useRef } from 'react'
import { useHub } from '../../../live/hub-provider'
import { useErrorUntilBack } from '../../../live/use-error-until-back'
import { useMay } from '../../../live/use-me'
import { useFocusHeir } from '../../../ui/use-focus-heir'
import { answeredHere } from './answered-here'
import { type PromptState, promptState } from './prompt-state'
import { useArmed } from './use-armed'

export type Decide = Omit<DecisionRequest, 'digest'>

export interface Decision {
  box: RefObject<HTMLElement | null>
  /** Goes onto what must be in view before an answer counts. */
  armedBy: RefObject<HTMLElement | null>
  armed: boolean
  /** The page's keys are this request's, and act now. */
  keysArmed: boolean
  state: PromptState
  open: boolean
  mayDecide: boolean
  error: Error | null
  /** Nothing happens while it is not armed, not open, or not this person's to answer. */
  send: (decide: Decide) => void
  focusBox: () => void
}

export function useDecision(request: RequestView, keys: boolean, onSent?: () => void): Decision {
  const hub = useHub()
  const box = useRef<HTMLElement>(null)
  const { ask } = request
  const { ref, armed, keysArmed } = useArmed<HTMLElement>(keys)
  const mayDecide = useMay('permission.decide', true)
  const decide = useMutation({
    mutationFn: (body: Decide) => {
      answeredHere.add(ask.requestId)
      return hub.rest.decide(ask.requestId, { ...body, digest: ask.digest })
    },
    onSuccess: onSent,
    onError: () => answeredHere.delete(ask.requestId),
  })
  useErrorUntilBack(decide)
  useFocusHeir(box)
  const state = promptState(request, decide.isPending)
  const open = state.kind === 'open'
  const focusBox = () => box.current?.focus({ preventScroll: true })
  return {
    box,
    armedBy: ref,
    armed,
    keysArmed: keysArmed && open && mayDecide,
    state,
    open,
    mayDecide,
    error: decide.error,
    focusBox,
    send(body) {
      if (!armed || !open || !mayDecide) return
      // The buttons go away with the answer; the keyboard stays here until the prompt itself goes.
      if (box.current?.contains(document.activeElement)) focusBox()
      decide.mutate(body)
    },
  }
}
