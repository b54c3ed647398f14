'use client'
import type { PermissionAnswer } from '@roundhouse/backend-types'
import { isForPage } from '../../ui/keys/keyboard'
import { useKeyDown } from '../../ui/keys/use-key-down'

const answers: Record<string, PermissionAnswer> = { a: 'allow', s: 'allow_session', x: 'abort' }

interface AnswerKeys {
  answer: (decision: PermissionAnswer) => void
  explain: () => void
  /** Where the program takes an edit. */
  edit: () => void
}

/** `a`, `s`, `x` answer, `d` asks for a reason first, `e` opens the input to edit it. A held key never answers, nor does one typed into a field. */
export function useAnswerKeys(active: boolean, { answer, explain, edit }: AnswerKeys): void {
  useKeyDown(
    (event) => {
      if (event.repeat || !isForPage(event)) return
      const decision = answers[event.key]
      if (decision) answer(decision)
      else if (event.key === 'd') explain()
      else if (event.key === 'e') edit()
      else return
      event.preventDefault()
    },
    { active },
  )
}
