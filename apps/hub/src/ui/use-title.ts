'use client'
import { useEffect } from 'react'

/**
 * The page's own name in the window's title, as soon as it is known. The router may write its `general` one later than
 * that; another page's is left alone.
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
