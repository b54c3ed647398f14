'use client'
import { type RefObject, useEffect } from 'react'

/** A text box grows with its text. The height is set as a property, which the page's policy allows. */
export function useGrow(box: RefObject<HTMLTextAreaElement | null>, text: string): void {
  useEffect(() => {
    const element = box.current
    if (!element) return
    element.style.height = 'auto'
    if (text !== '') element.style.height = `${element.scrollHeight}px`
  }, [box, text])
}
