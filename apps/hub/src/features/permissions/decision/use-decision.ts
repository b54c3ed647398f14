'use client'
/** What all kinds of requests share on the page: the state, the right to decide, when the buttons act, and sending the decision. */
import type { DecisionRequest, RequestView } from '@roundhouse/backend-types'
import { useMutation } from '@tanstack/react-query'
import { type RefObject, useRef } from 'react'
import { useHub } from '../../../live/hub-provider'
import { useErrorUntilBack } from '../../../live/use-error-until-back'
import { useMay } from '../../../live/use-me'
import { useFocusHeir } from '../../../ui/use-focus-heir'
import { decidedHere } from './decided-here'
import { type PromptState, promptState } from './prompt-state'
import { useArmed } from './use-armed'

export type Decide = Omit<DecisionRequest, 'digest'>

export interface DecisionControl {
  box: RefObject<HTMLElement | null>
  /** Marks the element that must be in view before a decision counts. */
  armedBy: RefObject<HTMLElement | null>
  armed: boolean
  /** The page's keys belong to this request and act now. */
  keysArmed: boolean
  state: PromptState
  open: boolean
  mayDecide: boolean
  error: Error | null
  /** Does nothing unless the buttons are armed, the request is open and this person may decide it. */
  send: (decide: Decide) => void
  focusBox: () => void
}

export function useDecision(request: RequestView, keys: boolean, onSent?: () => void): DecisionControl {
  const hub = useHub()
  const box = useRef<HTMLElement>(null)
  const { ask } = request
  const { ref, armed, keysArmed } = useArmed<HTMLElement>(keys)
  const mayDecide = useMay('permission.decide', true)
  const decide = useMutation({
    mutationFn: (body: Decide) => {
      decidedHere.add(ask.requestId)
      return hub.rest.decide(ask.requestId, { ...body, digest: ask.digest })
    },
    onSuccess: onSent,
    onError: () => decidedHere.delete(ask.requestId),
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
      // The decision removes the buttons; keyboard focus stays here until the prompt disappears.
      if (box.current?.contains(document.activeElement)) focusBox()
      decide.mutate(body)
    },
  }
}
