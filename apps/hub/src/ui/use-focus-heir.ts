'use client'
import { type RefObject, useLayoutEffect } from 'react'

/** Marks the box within which focus is passed on, and the elements that may take it. */
const focusGroup = 'data-focus-group'
const focusHeir = 'data-focus-heir'

/**
 * When the focused element disappears, its group's first heir gets the focus, so that the keyboard always has a target. A
 * text field gets it only if no on-screen keyboard would open.
 */
export function useFocusHeir(ref: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const element = ref.current
    const group = element?.closest<HTMLElement>(`[${focusGroup}]`)
    return () => {
      if (!element?.contains(document.activeElement) || !group) return
      queueMicrotask(() => {
        const heirs = [...group.querySelectorAll<HTMLElement>(`[${focusHeir}]`)]
        const touch = matchMedia('(pointer: coarse)').matches
        const heir = heirs.find((each) => !touch || !/^(INPUT|TEXTAREA)$/.test(each.tagName)) ?? group
        heir.focus({ preventScroll: true })
      })
    }
  }, [ref])
}
