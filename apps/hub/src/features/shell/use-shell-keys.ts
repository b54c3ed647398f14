'use client'
import { useEffect } from 'react'
import { isForPage } from '../../ui/keyboard'

/** `?`, `n`, `c` where nobody writes; Ctrl/Cmd-K everywhere. */
export function useShellKeys(open: (overlay: 'new' | 'palette' | 'shortcuts') => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey) {
        open('palette')
      } else if (!isForPage(event) || event.repeat) return
      else if (event.key === '?') open('shortcuts')
      else if (event.key === 'n') open('new')
      else if (event.key === 'c') document.querySelector<HTMLElement>('textarea[aria-label=Prompt]')?.focus()
      else return
      event.preventDefault()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [open])
}
