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
 * Listens to every key of the page, except those held for a dialog that is loading. Calls the handler of the last render.
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
