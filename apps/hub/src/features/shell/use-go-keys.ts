'use client'
import { useRouter } from 'next/navigation'
import { useRef } from 'react'
import { isForPage } from '../../ui/keys/keyboard'
import { useKeyDown } from '../../ui/keys/use-key-down'
import { goStep } from './go-keys'

/** `g i`, `g s`, `g a`. Handled before all other keys, because `a` and `s` alone decide a permission request. */
export function useGoKeys(): void {
  const router = useRouter()
  const startedAt = useRef<number | null>(null)
  useKeyDown(
    (event) => {
      if (!isForPage(event)) {
        startedAt.current = null
        return
      }
      const step = goStep(startedAt.current, event.key, event.timeStamp)
      startedAt.current = step.startedAt
      if (!step.taken) return
      event.stopImmediatePropagation()
      event.preventDefault()
      if (step.target) router.push(step.target)
    },
    { capture: true },
  )
}
