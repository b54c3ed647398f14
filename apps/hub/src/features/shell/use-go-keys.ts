'use client'
import { useRouter } from 'next/navigation'
import { useEffect } from 'react'

const targets: Record<string, string> = { i: '/', s: '/sessions', a: '/agents' }
const SECOND_KEY_WITHIN_MS = 1_200

/** `g i`, `g s`, `g a`: go somewhere, unless the person is typing. */
export function useGoKeys(): void {
  const router = useRouter()
  useEffect(() => {
    let startedAt = 0
    const onKey = (event: KeyboardEvent) => {
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return
      const target = targets[event.key]
      if (event.key === 'g') startedAt = event.timeStamp
      else if (target && event.timeStamp - startedAt < SECOND_KEY_WITHIN_MS) router.push(target)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [router])
}

export function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
}
