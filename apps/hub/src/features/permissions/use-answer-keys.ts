'use client'
import type { PermissionAnswer } from '@roundhouse/backend-types'
import { useEffect } from 'react'
import { isForPage } from '../../ui/keyboard'

const answers: Record<string, PermissionAnswer> = { a: 'allow', s: 'allow_session', x: 'abort' }

interface AnswerKeys {
  answer: (decision: PermissionAnswer) => void
  explain: () => void
}

/** `a`, `s`, `x` answer, `d` asks for a reason first. A held key never answers, nor does one typed into a field. */
export function useAnswerKeys(active: boolean, { answer, explain }: AnswerKeys): void {
  useEffect(() => {
    if (!active) return
    const onKey = (event: KeyboardEvent) => {
      if (event.repeat || !isForPage(event)) return
      const decision = answers[event.key]
      if (decision) answer(decision)
      else if (event.key === 'd') explain()
      else return
      event.preventDefault()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  })
}
