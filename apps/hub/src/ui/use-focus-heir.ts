'use client'
import { type RefObject, useLayoutEffect } from 'react'

/** Marks the box within which focus is passed on, and the elements that may take it. */
const focusGroup = 'data-focus-group'
const focusHeir = 'data-focus-heir'

/**
 * When an element that holds the focus goes away, its group's first heir takes it, so that the keyboard is never nowhere.
 * A text field takes it only where no on-screen keyboard would come up with it.
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
