'use client'
import { useLayoutEffect, useRef } from 'react'

/** The element that had the focus before the last dialog opened: a dialog that replaces it opens with the focus nowhere. */
let before: HTMLElement | null = null

/**
 * Returns the focus to the element that opened a dialog, which the library does only for its own triggers. Remembers the
 * element before anything in the dialog takes the focus. Returns the dialog's `onCloseAutoFocus`.
 */
export function useOpener(open: boolean): (event: Event) => void {
  const opener = useRef<HTMLElement | null>(null)
  useLayoutEffect(() => {
    if (!open) return
    const focused = document.activeElement
    if (focused instanceof HTMLElement && focused !== document.body) before = focused
    opener.current = before
  }, [open])
  return (event) => {
    before = null
    if (!opener.current?.isConnected) return
    event.preventDefault()
    opener.current.focus()
  }
}
