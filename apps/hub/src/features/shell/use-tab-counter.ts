'use client'
import { useEffect } from 'react'
import { countedTitle } from './counted-title'

/** Keeps the count in the title although others write it: the router at each page, a page when it knows its name. */
export function useTabCounter(waiting: number): void {
  useEffect(() => {
    const count = () => {
      const title = countedTitle(document.title, waiting)
      if (title !== document.title) document.title = title
    }
    count()
    const observer = new MutationObserver(count)
    observer.observe(document.head, { childList: true, subtree: true, characterData: true })
    return () => observer.disconnect()
  }, [waiting])
}
