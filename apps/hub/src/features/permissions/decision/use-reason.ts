'use client'
import { useState } from 'react'
import { keptDrafts } from './kept-drafts'

export interface Reason {
  /** `null`: the person is not writing a reason. */
  text: string | null
  change: (next: string | null) => void
  /** The reason was sent, or can no longer be sent. */
  drop: () => void
}

/** The text to the model that accompanies a refusal. A reload keeps what was typed. */
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
