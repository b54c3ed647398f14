'use client'
import { type Dispatch, type SetStateAction, useEffect, useState } from 'react'
import { keepOwn } from '../../live/own-store'

/** What is written but not sent, kept per session in this browser, for this person. */
export function useDraft(sessionId: string): [string, Dispatch<SetStateAction<string>>] {
  const key = `roundhouse.draft.${sessionId}`
  const [draft, setDraft] = useState(() => localStorage.getItem(key) ?? '')
  useEffect(() => {
    if (draft === '') localStorage.removeItem(key)
    else keepOwn(key, draft)
  }, [key, draft])
  return [draft, setDraft]
}
