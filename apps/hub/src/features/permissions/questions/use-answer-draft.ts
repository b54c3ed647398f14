'use client'
import type { AskForm } from '@roundhouse/backend-types'
import { useEffect, useState } from 'react'
import { type AnswerDraft, draftOf, withoutSecrets } from '../decision/answer-draft'
import { keptDrafts } from '../decision/kept-drafts'

/** Answers that are filled in and not sent, stored per request in this browser. Secret fields are not stored. */
export function useAnswerDraft(
  requestId: string,
  form: AskForm,
): [draft: AnswerDraft, change: (next: AnswerDraft) => void] {
  const [draft, setDraft] = useState<AnswerDraft>(() => ({
    ...draftOf(form),
    ...keptDrafts.read<AnswerDraft>(requestId),
  }))
  const [isTouched, setTouched] = useState(false)
  useEffect(() => {
    if (isTouched) keptDrafts.keep(requestId, withoutSecrets(form, draft))
  }, [requestId, form, draft, isTouched])
  return [
    draft,
    (next) => {
      setTouched(true)
      setDraft(next)
    },
  ]
}
