'use client'
import { type RefObject, useEffect, useRef, useState } from 'react'

const ARM_AFTER_MS = 500

/**
 * Arms the decision buttons half a second after they were painted in view, so that nobody presses one by accident. Keys act
 * half a second after the prompt receives them, and only while it is in view: a key typed for the previous prompt must not
 * decide this one.
 */
export function useArmed<E extends HTMLElement>(
  keys: boolean,
): {
  ref: RefObject<E | null>
  armed: boolean
  keysArmed: boolean
} {
  const ref = useRef<E>(null)
  const [inView, setInView] = useState(false)
  useEffect(() => {
    if (!ref.current) return
    const observer = new IntersectionObserver((entries) => setInView(entries.at(-1)?.isIntersecting === true))
    observer.observe(ref.current)
    return () => observer.disconnect()
  }, [])
  const [armed, setArmed] = useState(false)
  const [keysArmed, setKeysArmed] = useState(false)
  useAfter(inView && !armed, () => setArmed(true))
  useAfter(
    inView && keys,
    () => setKeysArmed(true),
    () => setKeysArmed(false),
  )
  return { ref, armed, keysArmed: armed && keysArmed }
}

/** Calls `then` when `on` has been true for the arming time, and `over` when it becomes false. */
function useAfter(on: boolean, then: () => void, over?: () => void): void {
  const calls = useRef({ then, over })
  calls.current = { then, over }
  useEffect(() => {
    if (!on) return
    const timer = setTimeout(() => calls.current.then(), ARM_AFTER_MS)
    return () => {
      clearTimeout(timer)
      calls.current.over?.()
    }
  }, [on])
}
