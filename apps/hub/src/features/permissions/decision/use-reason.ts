'use client'
import { useState } from 'react'
import { keptDrafts } from './kept-drafts'

export interface Reason {
  /** `null`: nobody refuses with a reason. */
  text: string | null
  change: (next: string | null) => void
  /** It was sent, or nobody can send it any more. */
  drop: () => void
}

/** The text to the model that goes with a refusal. A reload keeps what was typed. */
export function useReason(requestId: string): Reason {
  const key = `${requestId}.reason`
  const [text, setText] = useState(() => keptDrafts.read<string>(key) ?? null)
  const drop = () => keptDrafts.drop(key)
  function change(next: string | null) {
    if (next) keptDrafts.keep(key, next)
    else drop()
    setText(next)
  }
  return { text, change, drop }
}
