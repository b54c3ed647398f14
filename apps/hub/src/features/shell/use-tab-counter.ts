'use client'
import { useEffect } from 'react'
import { countedTitle } from './counted-title'

/** Keeps the count in the title although the router and the pages also write it. */
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
