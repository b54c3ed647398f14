'use client'
import { type RefObject, useEffect } from 'react'
import { startedHere } from '../../sessions/new-session/started-here'

/**
 * Focuses the composer of a session that was just started. Not on touch devices, where a keyboard would cover half of it.
 */
export function useStartedFocus(sessionId: string, box: RefObject<HTMLTextAreaElement | null>): void {
  useEffect(() => {
    if (startedHere.take(sessionId) && !matchMedia('(pointer: coarse)').matches) box.current?.focus()
  }, [sessionId, box])
}
