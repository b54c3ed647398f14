'use client'
import { useEffect } from 'react'

/** The page's own name in the window's title, as soon as it is known. */
export function useTitle(title: string | undefined): void {
  useEffect(() => {
    if (title) document.title = `${title} · Roundhouse`
  }, [title])
}
