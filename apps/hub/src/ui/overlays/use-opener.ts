'use client'
import { useLayoutEffect, useRef } from 'react'

/** Where the focus was before the dialog that came last: one that takes its place opens with the focus nowhere. */
let before: HTMLElement | null = null

/**
 * Gives the focus back to what opened a dialog, which the library does for triggers of its own alone. Noted before anything
 * of the dialog takes the focus. The answer is the dialog's `onCloseAutoFocus`.
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
