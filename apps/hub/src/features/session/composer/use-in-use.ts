'use client'
import { type FocusEvent, useState } from 'react'

/**
 * Whether somebody writes here. A press on something else ends it only when the press is over: nothing moves away from
 * under the pointer. A button of the place itself does not begin it.
 */
export function useInUse() {
  const [inUse, setInUse] = useState(false)
  function onFocus({ target }: FocusEvent) {
    if (!(target instanceof HTMLButtonElement)) setInUse(true)
  }
  function onBlur({ relatedTarget, currentTarget: place }: FocusEvent) {
    if (place.contains(relatedTarget)) return
    const leave = () => place.contains(document.activeElement) || setInUse(false)
    if (document.documentElement.matches(':active'))
      addEventListener('pointerup', () => setTimeout(leave), { once: true })
    else setInUse(false)
  }
  return { inUse, onFocus, onBlur }
}
