'use client'
import { type RefObject, useEffect, useRef, useState } from 'react'

const ARM_AFTER_MS = 500

/** Answer buttons become active half a second after the prompt was painted in view, so that nobody hits one by accident. */
export function useArmed<E extends HTMLElement>(): { ref: RefObject<E | null>; armed: boolean } {
  const ref = useRef<E>(null)
  const [armed, setArmed] = useState(false)
  useEffect(() => {
    const element = ref.current
    if (!element || armed) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const observer = new IntersectionObserver((entries) => {
      const visible = entries.some((entry) => entry.isIntersecting)
      clearTimeout(timer)
      if (visible) timer = setTimeout(() => setArmed(true), ARM_AFTER_MS)
    })
    observer.observe(element)
    return () => {
      clearTimeout(timer)
      observer.disconnect()
    }
  }, [armed])
  return { ref, armed }
}
