'use client'
import { type RefObject, useEffect } from 'react'
import { startedHere } from '../../sessions/new-session/started-here'

/** Whoever has just started a session writes on; on touch a keyboard would cover the half of it. */
export function useStartedFocus(sessionId: string, box: RefObject<HTMLTextAreaElement | null>): void {
  useEffect(() => {
    if (startedHere.take(sessionId) && !matchMedia('(pointer: coarse)').matches) box.current?.focus()
  }, [sessionId, box])
}
