'use client'
import { type Dispatch, type RefObject, type SetStateAction, useRef, useState } from 'react'
import { useImages } from '../../images/use-images'
import type { LikeSession } from './like-session'

/** What the person has written for a new session, for whichever machine. */
export interface FirstPromptDraft {
  text: string
  setText: Dispatch<SetStateAction<string>>
  images: ReturnType<typeof useImages>
  box: RefObject<HTMLTextAreaElement | null>
  /** Set once, when the form opens. */
  hasFocused: RefObject<boolean>
}

export function useFirstPrompt(like: LikeSession | undefined): FirstPromptDraft {
  const [text, setText] = useState(like?.prompt ?? '')
  const box = useRef<HTMLTextAreaElement>(null)
  const hasFocused = useRef(false)
  // Each session that is started uploads each image again under a new key.
  const [initial] = useState(() => (like?.images ?? []).map((one) => ({ ...one, key: crypto.randomUUID() })))
  const images = useImages({ field: box, takes: true, initial })
  return { text, setText, images, box, hasFocused }
}
