'use client'
/** The page's only live region: a screen reader reads each message once. */
import { createContext, type ReactNode, useCallback, useContext, useState } from 'react'

type Announce = (text: string, how: 'polite' | 'assertive') => void

const Voice = createContext<Announce>(() => {})

export function AnnouncerProvider({ children }: { children: ReactNode }) {
  const [said, setSaid] = useState({ polite: '', assertive: '' })
  const announce = useCallback<Announce>((text, how) => setSaid((before) => ({ ...before, [how]: text })), [])
  return (
    <Voice value={announce}>
      {children}
      <div className="sr-only" aria-live="polite" data-testid="said-politely">
        {said.polite}
      </div>
      <div className="sr-only" aria-live="assertive" data-testid="said-at-once">
        {said.assertive}
      </div>
    </Voice>
  )
}

export function useAnnounce(): Announce {
  return useContext(Voice)
}
