'use client'
import { useRef } from 'react'
import { useKeyDown } from '../../../ui/keys/use-key-down'

const TWICE_WITHIN_MS = 600

/** `Esc Esc` stops the running turn. An `Esc` that closed something of the page does not count. */
export function useStopKey(active: boolean, stop: () => void): void {
  const last = useRef(Number.NEGATIVE_INFINITY)
  useKeyDown(
    (event) => {
      if (event.key !== 'Escape') {
        last.current = Number.NEGATIVE_INFINITY
        return
      }
      if (event.repeat || event.defaultPrevented) return
      if (event.timeStamp - last.current < TWICE_WITHIN_MS) stop()
      last.current = event.timeStamp
    },
    { active },
  )
}
