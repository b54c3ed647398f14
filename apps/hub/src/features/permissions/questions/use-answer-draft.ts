'use client'
import type { AskForm } from '@roundhouse/backend-types'
import { useEffect, useState } from 'react'
import { type AnswerDraft, draftOf, withoutSecrets } from '../decision/answer-draft'
import { keptDrafts } from '../decision/kept-drafts'

/** What is filled in but not sent, kept per request in this browser; what is secret is not. */
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
