'use client'
import { useEffect } from 'react'

/**
 * Sets the window's title to the page's own name as soon as it is known. The router may write its `general` title later; the
 * hook leaves another page's title alone.
 */
export function useTitle(title: string | undefined, general: string): void {
  useEffect(() => {
    if (!title) return
    document.title = `${title} · Roundhouse`
    const observer = new MutationObserver(() => {
      if (document.title.endsWith(`${general} · Roundhouse`)) document.title = `${title} · Roundhouse`
    })
    observer.observe(document.head, { childList: true, subtree: true, characterData: true })
    return () => observer.disconnect()
  }, [title, general])
}
