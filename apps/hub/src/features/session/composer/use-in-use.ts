'use client'
import { type FocusEvent, useState } from 'react'

/**
 * Whether a person is writing here. A press elsewhere ends this only when the press is over, so that nothing moves away from
 * under the pointer. A press on one of the composer's own buttons does not start it.
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
