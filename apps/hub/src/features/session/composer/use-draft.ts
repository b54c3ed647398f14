'use client'
import { type Dispatch, type SetStateAction, useEffect, useState } from 'react'
import { ownStore } from '../../../live/own-store'

/** The unsent draft, kept per session in this browser, for this person. */
export function useDraft(sessionId: string): [string, Dispatch<SetStateAction<string>>] {
  const key = `roundhouse.draft.${sessionId}`
  const [draft, setDraft] = useState(() => ownStore.get(key) ?? '')
  useEffect(() => {
    if (draft === '') ownStore.drop(key)
    else ownStore.set(key, draft)
  }, [key, draft])
  return [draft, setDraft]
}
