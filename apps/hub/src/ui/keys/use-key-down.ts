'use client'
import { useEffect, useEffectEvent } from 'react'
import { keysAreHeld } from './key-hold'

export interface KeyDownOptions {
  /** While false no key is heard. */
  active?: boolean
  /** Before everybody else. */
  capture?: boolean
}

/**
 * Hears every key of the page, wherever it is pressed, except those held for a dialog that is loading. What happens is what
 * the last drawing said.
 */
export function useKeyDown(
  onKey: (event: KeyboardEvent) => void,
  { active = true, capture = false }: KeyDownOptions = {},
): void {
  const heard = useEffectEvent(onKey)
  useEffect(() => {
    if (!active) return
    const listener = (event: KeyboardEvent) => {
      if (!keysAreHeld()) heard(event)
    }
    addEventListener('keydown', listener, { capture })
    return () => removeEventListener('keydown', listener, { capture })
  }, [active, capture])
}
