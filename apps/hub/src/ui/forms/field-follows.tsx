'use client'
import { type ReactNode, useEffect } from 'react'
import { fieldFollows, fieldHasCome } from '../keys/key-hold'

/** Stands in a dialog where its field is still to come, so that what is typed meanwhile waits for it. */
export function FieldFollows({ children }: { children: ReactNode }) {
  useEffect(() => fieldHasCome, [])
  return (
    <p className="text-ink-2" {...{ [fieldFollows]: '' }}>
      {children}
    </p>
  )
}
