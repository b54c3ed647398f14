'use client'
import { isForPage } from '../../ui/keys/keyboard'
import { useKeyDown } from '../../ui/keys/use-key-down'

/** `?`, `n`, `c` outside text fields; Ctrl/Cmd-K everywhere. */
export function useShellKeys(open: (overlay: 'new' | 'palette' | 'shortcuts') => void): void {
  useKeyDown((event) => {
    if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey) {
      open('palette')
    } else if (!isForPage(event) || event.repeat) return
    else if (event.key === '?') open('shortcuts')
    else if (event.key === 'n') open('new')
    else if (event.key === 'c') document.querySelector<HTMLElement>('textarea[aria-label=Prompt]')?.focus()
    else return
    event.preventDefault()
  })
}
