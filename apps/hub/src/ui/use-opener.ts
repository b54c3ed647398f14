'use client'
import { useRef } from 'react'

/** Where the focus was before the dialog that came last: one that takes its place opens with the focus nowhere. */
let before: HTMLElement | null = null

/** Gives the focus back to what opened a dialog, which the library does for triggers of its own alone. */
export function useOpener() {
  const opener = useRef<HTMLElement | null>(null)
  return {
    note: () => {
      const focused = document.activeElement
      if (focused instanceof HTMLElement && focused !== document.body) before = focused
      opener.current = before
    },
    giveBack: (event: Event) => {
      before = null
      if (!opener.current?.isConnected) return
      event.preventDefault()
      opener.current.focus()
    },
  }
}
