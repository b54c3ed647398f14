'use client'
import { useEffect, useState } from 'react'
import { type KeyState, readKeyState } from '../../live/page-prover'
import { ErrorNotice } from '../../ui/forms/notice'
import { keyWords } from './key-words'

/** Says why this browser cannot sign in, or that a page of the hub redirected it here without a login. */
export function KeyNotice({ sent }: { sent: boolean }) {
  const [state, setState] = useState<KeyState>('kept')
  useEffect(() => {
    void readKeyState().then(setState)
  }, [])
  if (state === 'kept') return null
  if (state !== 'none') return <ErrorNotice error={{ code: 'KEY_REQUIRED', message: keyWords[state] }} />
  return sent ? (
    <p role="status" className="mb-4 rounded-md bg-sunken px-3 py-2 text-sm">
      {keyWords.none}
    </p>
  ) : null
}
