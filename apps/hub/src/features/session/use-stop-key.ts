'use client'
import { useEffect, useRef } from 'react'

const TWICE_WITHIN_MS = 600

/** `Esc Esc` stops the running turn. */
export function useStopKey(active: boolean, stop: () => void): void {
  const last = useRef(0)
  useEffect(() => {
    if (!active) return
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.repeat) return
      if (event.timeStamp - last.current < TWICE_WITHIN_MS) stop()
      last.current = event.timeStamp
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  })
}
