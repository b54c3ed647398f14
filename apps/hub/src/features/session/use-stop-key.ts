'use client'
import { useEffect, useRef } from 'react'

const TWICE_WITHIN_MS = 600

/** `Esc Esc` stops the running turn. An `Esc` that closed something of the page does not count. */
export function useStopKey(active: boolean, stop: () => void): void {
  const last = useRef(Number.NEGATIVE_INFINITY)
  useEffect(() => {
    if (!active) return
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') {
        last.current = Number.NEGATIVE_INFINITY
        return
      }
      if (event.repeat || event.defaultPrevented) return
      if (event.timeStamp - last.current < TWICE_WITHIN_MS) stop()
      last.current = event.timeStamp
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  })
}
