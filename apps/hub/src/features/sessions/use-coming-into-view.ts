'use client'
import { type RefCallback, useCallback, useRef } from 'react'

/** Calls when the element comes near the visible part of the page. */
export function useComingIntoView<E extends Element>(then: () => void): RefCallback<E> {
  const call = useRef(then)
  call.current = then
  return useCallback((element: E | null) => {
    if (!element) return
    const observer = new IntersectionObserver(
      (entries) => entries.some((entry) => entry.isIntersecting) && call.current(),
      { rootMargin: '600px' },
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
}
