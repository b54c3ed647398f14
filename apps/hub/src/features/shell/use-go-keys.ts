'use client'
import { useRouter } from 'next/navigation'
import { useEffect } from 'react'
import { isForPage } from '../../ui/keyboard'
import { goStep } from './go-keys'

/** `g i`, `g s`, `g a`. Listens before everybody else, since `a` and `s` alone answer a permission request. */
export function useGoKeys(): void {
  const router = useRouter()
  useEffect(() => {
    let startedAt: number | null = null
    const onKey = (event: KeyboardEvent) => {
      if (!isForPage(event)) {
        startedAt = null
        return
      }
      const step = goStep(startedAt, event.key, event.timeStamp)
      startedAt = step.startedAt
      if (!step.taken) return
      event.stopImmediatePropagation()
      event.preventDefault()
      if (step.target) router.push(step.target)
    }
    addEventListener('keydown', onKey, { capture: true })
    return () => removeEventListener('keydown', onKey, { capture: true })
  }, [router])
}
