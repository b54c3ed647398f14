'use client'
import { type ReactNode, useEffect } from 'react'
import { fieldFollows, fieldHasCome } from '../keys/key-hold'

/** A placeholder in a dialog for a field that is still loading; typed text waits for the field. */
export function FieldFollows({ children }: { children: ReactNode }) {
  useEffect(() => fieldHasCome, [])
  return (
    <p className="text-ink-2" {...{ [fieldFollows]: '' }}>
      {children}
    </p>
  )
}
